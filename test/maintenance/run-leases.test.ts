import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobWork } from '../../src/jobs/runs.ts'
import { insertFadingRecords, openWorkerSetup, readState, type WorkerSetup } from '../support/worker-setup.ts'

const hour = 3_600_000
const idle = new AbortController().signal

let setup: WorkerSetup
beforeEach(async () => {
  setup = await openWorkerSetup()
})
afterEach(() => setup.close())

/** A gate that a worker reaches and waits at. */
function createGate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    open: opened.resolve,
    pass: () => {
      reached.resolve()
      return opened.promise
    },
  }
}

/** What a sweep makes of the same records when nothing disturbs it. */
async function sweepUndisturbed(): Promise<unknown[]> {
  const other = await openWorkerSetup()
  await insertFadingRecords(other, { count: 200, bornAt: other.clock.now() })
  other.clock.advance(31 * hour)
  await other.run('decay')
  const state = await readState(other)
  await other.close()
  return state
}

async function prepareSweep(): Promise<string> {
  await insertFadingRecords(setup, { count: 200, bornAt: setup.clock.now() })
  setup.clock.advance(31 * hour)
  return setup.requestRun('decay')
}

describe('workers that look at one job', () => {
  it('race for a run, and one leads it while the others share it', async () => {
    const id = await prepareSweep()
    const workers = ['one', 'two', 'three'].map((name) => setup.createWorker(name))
    await Promise.all(workers.map((worker) => worker.runJob('decay', idle)))
    expect(await readState(setup)).toEqual(await sweepUndisturbed())
    const run = await setup.readRun(id)
    expect(run).toMatchObject({ status: 'succeeded', attempts: 1 })
    expect(run.progress.done).toBe(run.progress.total)
  })

  it('share its parts: a helper does what the leader has not', async () => {
    const id = await prepareSweep()
    const gate = createGate()
    let batches = 0
    const leader = setup.createWorker('leader', {
      observe: (step) => (step === 'after batch' && ++batches === 2 ? gate.pass() : undefined),
    })
    const leading = leader.runJob('decay', idle)
    await gate.reached
    let helped = 0
    const helper = setup.createWorker('helper', { observe: (step) => void (step === 'in batch' && helped++) })
    expect(await helper.runJob('decay', idle)).toBe(1)
    expect(helped).toBeGreaterThan(2)
    gate.open()
    await leading
    expect(await readState(setup)).toEqual(await sweepUndisturbed())
    const run = await setup.readRun(id)
    expect(run).toMatchObject({ status: 'succeeded', worker: 'leader' })
    expect(run.progress.done).toBe(run.progress.total)
  })

  it('do a run once, however often they are told of it', async () => {
    const id = await prepareSweep()
    const worker = setup.createWorker('worker')
    await Promise.all([worker.runJob('decay', idle), worker.runJob('decay', idle)])
    const state = await readState(setup)
    for (let message = 0; message < 3; message++) await worker.runJob('decay', idle)
    expect(await readState(setup)).toEqual(state)
    expect(await setup.readRun(id)).toMatchObject({ attempts: 1 })
    expect(await countRuns()).toBe(1)
  })

  it('let a run wait that is asked for while one of its job is active, and do it then', async () => {
    const first = await prepareSweep()
    const gate = createGate()
    const observe = (step: string) => (step === 'before batch' ? gate.pass() : undefined)
    const attending = setup.createWorker('one', { observe }).runJob('decay', idle)
    await gate.reached
    const second = await setup.requestRun('decay')
    await setup.createWorker('two').runJob('decay', idle)
    expect((await setup.readRun(second)).status).toBe('queued')
    gate.open()
    await attending
    expect((await setup.readRun(first)).status).toBe('succeeded')
    expect((await setup.readRun(second)).status).toBe('succeeded')
  })
})

describe('a worker that is paused', () => {
  it('and wakes after its lease was taken writes nothing more', async () => {
    const id = await prepareSweep()
    const gate = createGate()
    let batches = 0
    const paused = setup.createWorker('paused', {
      observe: (step) => (step === 'before batch' && ++batches === 4 ? gate.pass() : undefined),
    })
    const sleeping = paused.runJob('decay', idle)
    await gate.reached
    setup.clock.advance(31_000)
    await setup.createWorker('successor').runJob('decay', idle)
    const run = await setup.readRun(id)
    expect(run).toMatchObject({ status: 'succeeded', attempts: 2, worker: 'successor' })
    await setup.pool.query('update records set salience = salience')
    const before = await readVersions()
    gate.open()
    await sleeping
    expect(await readVersions()).toEqual(before)
    expect(await setup.readRun(id)).toEqual(run)
    expect(await readState(setup)).toEqual(await sweepUndisturbed())
  })

  it('in the middle of a batch keeps its lease until the batch has ended', async () => {
    const id = await prepareSweep()
    const gate = createGate()
    let batches = 0
    const paused = setup.createWorker('paused', {
      observe: (step) => (step === 'in batch' && ++batches === 2 ? gate.pass() : undefined),
    })
    const sleeping = paused.runJob('decay', idle)
    await gate.reached
    setup.clock.advance(31_000)
    const successor = setup.createWorker('successor', {})
    await successor.runJob('decay', idle)
    expect(await setup.readRun(id)).toMatchObject({ status: 'running', worker: 'paused', attempts: 1 })
    gate.open()
    await sleeping
    expect(await setup.readRun(id)).toMatchObject({ status: 'succeeded', worker: 'paused' })
  })

  it('loses a run to another only once, and gives up what nobody can finish', async () => {
    const id = await prepareSweep()
    const lost = createGate()
    const decay: JobWork = { run: () => lost.pass() }
    const losses: Promise<number>[] = []
    for (let attempt = 1; attempt <= 5; attempt++) {
      losses.push(setup.createWorker(`worker ${attempt}`, { works: { decay } }).runJob('decay', idle))
      await lost.reached
      while ((await setup.readRun(id)).attempts < attempt) {}
      setup.clock.advance(31_000)
    }
    await setup.createWorker('the last').runJob('decay', idle)
    const run = await setup.readRun(id)
    expect(run).toMatchObject({ status: 'failed', attempts: 5 })
    expect(run.error).toContain('5 workers')
    lost.open()
    await Promise.all(losses)
    expect(await setup.readRun(id)).toEqual(run)
  })
})

describe('a run that is cancelled', () => {
  it('ends after the batch at hand, and what it did stays done', async () => {
    const id = await prepareSweep()
    let batches = 0
    const worker = setup.createWorker('worker', {
      observe: async (step) => {
        if (step !== 'after batch' || ++batches !== 3) return
        await setup.db
          .updateTable('maintenance_runs')
          .set({ cancel_requested: true })
          .where('id', '=', id)
          .execute()
      },
    })
    await worker.runJob('decay', idle)
    const run = await setup.readRun(id)
    expect(run.status).toBe('cancelled')
    expect(run.progress.done).toBeGreaterThan(0)
    expect(run.progress.done).toBeLessThan(run.progress.total ?? 0)
    await setup.run('decay')
    expect((await setup.run('decay')).progress.done).toBe(0)
  })
})

describe('a job that fails', () => {
  it('says why without a word of content, and leaves its lease to the next', async () => {
    const decay: JobWork = {
      run: ({ inBatch }) =>
        inBatch(async (tx) => {
          await tx.selectNoFrom(({ val, cast }) => cast(val('a memory'), 'integer').as('no')).execute()
          return {}
        }).then(() => {}),
    }
    const run = await setup.run('decay', { works: { decay } })
    expect(run).toMatchObject({ status: 'failed' })
    expect(run.error).not.toContain('memory')
    expect((await setup.run('decay')).status).toBe('succeeded')
  })
})

async function countRuns(): Promise<number> {
  const { rows } = await setup.pool.query('select count(*)::int as count from maintenance_runs')
  return rows[0].count
}

/** Changes with every write of a row, even of the same values. */
async function readVersions(): Promise<unknown[]> {
  return (await setup.pool.query('select id, xmin::text from records order by id')).rows
}
