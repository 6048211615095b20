import { beforeEach, describe, expect, it } from 'vitest'
import type { JobWork } from '../../src/jobs/runs/runs.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { insertFadingRecords, readState } from '../support/stores/fading-records.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const idle = new AbortController().signal

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

/** A gate at which a worker waits until it is opened. */
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

let undisturbed: Promise<unknown[]> | undefined

/** Reads the result of a sweep of the same records without interruptions, which is that of every test. */
function sweepWithoutInterruption(): Promise<unknown[]> {
  undisturbed ??= sweepAlone()
  return undisturbed
}

async function sweepAlone(): Promise<unknown[]> {
  const other = await openWorkerSetup()
  await insertFadingRecords(other, { count: 200, createdAt: other.clock.now() })
  other.clock.advance(31 * hour)
  await other.run('decay')
  const state = await readState(other)
  await other.close()
  return state
}

async function prepareSweep(): Promise<string> {
  await insertFadingRecords(setup, { count: 200, createdAt: setup.clock.now() })
  setup.clock.advance(31 * hour)
  return setup.requestRun('decay')
}

describe('concurrent workers on one job', () => {
  it('compete for the run: one leads it and the others share it', async () => {
    const id = await prepareSweep()
    const workers = ['one', 'two', 'three'].map((name) => setup.createWorker(name))
    await Promise.all(workers.map((worker) => worker.runJob('decay', idle)))
    expect(await readState(setup)).toEqual(await sweepWithoutInterruption())
    const run = await setup.readRun(id)
    expect(run).toMatchObject({ status: 'succeeded', attempts: 1 })
    expect(run.progress.done).toBe(run.progress.total)
  })

  it('share its blocks: a helper takes what the leader has not done', async () => {
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
    expect(await readState(setup)).toEqual(await sweepWithoutInterruption())
    const run = await setup.readRun(id)
    expect(run).toMatchObject({ status: 'succeeded', worker: 'leader' })
    expect(run.progress.done).toBe(run.progress.total)
  })

  it('do a run once, however often it is announced', async () => {
    const id = await prepareSweep()
    const worker = setup.createWorker('worker')
    await Promise.all([worker.runJob('decay', idle), worker.runJob('decay', idle)])
    const state = await readState(setup)
    for (let message = 0; message < 3; message++) await worker.runJob('decay', idle)
    expect(await readState(setup)).toEqual(state)
    expect(await setup.readRun(id)).toMatchObject({ attempts: 1 })
    expect(await countRuns()).toBe(1)
  })

  it('start a second run of the job only after the first has ended', async () => {
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

describe('a paused worker', () => {
  it('writes nothing more when it wakes after its lease was taken', async () => {
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
    expect(await readState(setup)).toEqual(await sweepWithoutInterruption())
  })

  it('keeps its lease until the current batch has ended', async () => {
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

  it('loses a run once, and a run that repeatedly fails is given up', async () => {
    const id = await prepareSweep()
    const lost = createGate()
    const decay: JobWork = { run: () => lost.pass() }
    const losses: Promise<number>[] = []
    for (let attempt = 1; attempt <= 5; attempt++) {
      losses.push(setup.createWorker(`worker ${attempt}`, { jobWorks: { decay } }).runJob('decay', idle))
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

describe('a cancelled run', () => {
  it('ends after the current batch and keeps what it did', async () => {
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
  it('records the reason without content, and releases its lease', async () => {
    const decay: JobWork = {
      run: ({ inBatch }) =>
        inBatch(async (tx) => {
          await tx.selectNoFrom(({ val, cast }) => cast(val('a memory'), 'integer').as('no')).execute()
          return {}
        }).then(() => {}),
    }
    const run = await setup.run('decay', { jobWorks: { decay } })
    expect(run).toMatchObject({ status: 'failed' })
    expect(run.error).not.toContain('memory')
    expect((await setup.run('decay')).status).toBe('succeeded')
  })
})

async function countRuns(): Promise<number> {
  const { rows } = await setup.pool.query('select count(*)::int as count from maintenance_runs')
  return rows[0].count
}

/** Row versions, which change with every write, even of equal values. */
async function readVersions(): Promise<unknown[]> {
  return (await setup.pool.query('select id, xmin::text from records order by id')).rows
}
