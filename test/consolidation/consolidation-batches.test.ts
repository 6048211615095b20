import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { range } from '../support/requests/capture-requests.ts'
import { omitDurations } from '../support/requests/consolidation-requests.ts'
import { insertEpisodes } from '../support/stores/insert-episodes.ts'
import { day } from '../support/workers/test-works.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

/** Twenty episodes per batch. */
let setup: WorkerSetup
beforeAll(async () => {
  setup = await openWorkerSetup()
})
afterAll(() => setup.close())

const experience = (scope: string, summaries: readonly string[], more: object = {}) =>
  insertEpisodes(setup, scope, summaries, more)

const countChanges = async (id: string) => {
  const { rows } = await setup.pool.query(
    'select action, count(*)::int as count from maintenance_changes where run_id = $1 group by 1 order by 1',
    [id],
  )
  return rows
}

it('a consolidation dry run counts over all batches what a run then does', async () => {
  await experience(
    'rehearsed',
    range(110).map((n) => `saying ${n % 9}`),
  )
  setup.clock.advance(day)
  const dry = await setup.run('consolidate', { dryRun: true })
  expect(dry).toMatchObject({ status: 'succeeded', progress: { done: 220, total: 220 } })
  expect(omitDurations(dry)).toMatchObject({
    episodic_compressed: 110,
    semantic_extracted: 9,
    duplicates_resolved: 101,
  })
  const run = await setup.run('consolidate')
  expect({ figures: omitDurations(run), progress: run.progress }).toEqual({
    figures: omitDurations(dry),
    progress: dry.progress,
  })
  expect(await countChanges(dry.id)).toEqual(await countChanges(run.id))
})

it('a dry run whose worker is lost begins again, counts the same, and leaves no row that it kept', async () => {
  await experience(
    'lost',
    range(50).map((n) => `loss ${n % 9}`),
  )
  const countKept = async () => {
    const { rows } = await setup.pool.query(
      'select count(*)::int as kept from run_effects where run_id = $1',
      [id],
    )
    return rows[0].kept
  }
  const id = await setup.requestRun('consolidate', { dryRun: true, scope: 'lost' })
  const paused = Promise.withResolvers<void>()
  let batches = 0
  const observe = (step: string) => (step === 'before batch' && ++batches === 3 ? paused.promise : undefined)
  const { signal } = new AbortController()
  const lost = setup.createWorker('lost', { observe }).runJob('consolidate', signal)
  await expect.poll(countKept).toBeGreaterThan(0)
  setup.clock.advance(31_000)
  await setup.createWorker('next').runJob('consolidate', signal)
  const dry = await setup.readRun(id)
  expect(dry).toMatchObject({ status: 'succeeded', attempts: 2 })
  expect(await countKept()).toBe(0)
  paused.resolve()
  await lost
  expect(await setup.readRun(id)).toEqual(dry)
  const run = await setup.run('consolidate', { scope: 'lost' })
  expect(omitDurations(run)).toEqual(omitDurations(dry))
})

it('a cancelled consolidation run keeps its finished batches, and the next run does the rest', async () => {
  await experience(
    'cancelled',
    range(100).map((n) => `thing ${n}`),
  )
  const id = await setup.requestRun('consolidate', { scope: 'cancelled' })
  let batches = 0
  const observe = async (step: string) => {
    if (step !== 'after batch' || ++batches !== 2) return
    await setup.pool.query('update maintenance_runs set cancel_requested = true where id = $1', [id])
  }
  const { signal } = new AbortController()
  await setup.createWorker('one', { observe }).runJob('consolidate', signal)
  expect(await setup.readRun(id)).toMatchObject({ status: 'cancelled', stats: { semantic_extracted: 40 } })
  expect(await setup.run('consolidate')).toMatchObject({ stats: { semantic_extracted: 60 } })
})

const scopes = range(12).map((n) => `one of many ${n}`)
const semantic = { options: { stages: ['semantic'] } }

it('facts of many scopes are stored by two walks at once, which do what a dry run counts', async () => {
  for (const scope of scopes)
    await experience(
      scope,
      range(8).map((n) => `saying ${n % 3}`),
    )
  const dry = await setup.run('consolidate', { ...semantic, dryRun: true })
  const { promise: bothAreInBatch, resolve } = Promise.withResolvers<void>()
  let inBatch = 0
  const observe = async (step: string) => {
    if (step !== 'in batch') return
    if (++inBatch === 2) resolve()
    await bothAreInBatch
  }
  const run = await setup.run('consolidate', { ...semantic, observe })
  expect(run).toMatchObject({ stats: { semantic_extracted: 36, duplicates_resolved: 60 } })
  expect(omitDurations(run)).toEqual(omitDurations(dry))
  expect(await countChanges(run.id)).toEqual(await countChanges(dry.id))
})

it('both walks of a cancelled run end, and the next run does the rest', async () => {
  for (const scope of scopes)
    await experience(
      scope,
      range(8).map((n) => `later saying ${n}`),
    )
  const id = await setup.requestRun('consolidate', semantic)
  let batches = 0
  const observe = async (step: string) => {
    if (step !== 'after batch' || ++batches !== 2) return
    await setup.pool.query('update maintenance_runs set cancel_requested = true where id = $1', [id])
  }
  await setup.createWorker('one', { observe }).runJob('consolidate', new AbortController().signal)
  const cancelled = await setup.readRun(id)
  // A batch that has begun may end.
  expect([40, 60]).toContain(omitDurations(cancelled)['semantic_extracted'])
  expect(cancelled.status).toBe('cancelled')
  const rest = await setup.run('consolidate', semantic)
  const stored = [cancelled, rest].map((run) => omitDurations(run)['semantic_extracted'] ?? 0)
  expect(stored.reduce((sum, count) => sum + count)).toBe(96)
})

it('a cancelled consolidation dry run ends inside its only batch', async () => {
  await experience(
    'cancelled dry run',
    range(100).map((n) => `idea ${n}`),
  )
  const id = await setup.requestRun('consolidate', { dryRun: true })
  const observe = async (step: string) => {
    if (step !== 'before batch') return
    await setup.pool.query('update maintenance_runs set cancel_requested = true where id = $1', [id])
  }
  await setup.createWorker('one', { observe }).runJob('consolidate', new AbortController().signal)
  expect(await setup.readRun(id)).toMatchObject({ status: 'cancelled', stats: { semantic_extracted: 0 } })
})

it('consolidation reads no more episodes at once than fit into memory', async () => {
  await setup.run('consolidate')
  // More than half of what is read at once, and incompressible.
  const readNoise = () => randomBytes(3_300_000).toString('base64')
  for (const n of range(2))
    await experience('large', [`large ${n}`], { environment: { context: { noise: readNoise() } } })
  let batches = 0
  const observe = (step: string) => {
    if (step === 'in batch') batches++
  }
  const run = await setup.run('consolidate', { observe, scope: 'large' })
  expect(run).toMatchObject({ stats: { semantic_extracted: 2 } })
  expect(batches).toBe(3)
})

it('a fact from many episodes names the first as evidence and has edges to all', async () => {
  const insertTellingEpisodes = (count: number) =>
    insertEpisodes(
      setup,
      'crowd',
      range(count).map(() => 'told by all'),
    )
  await insertTellingEpisodes(150)
  await setup.run('consolidate')
  const read = async () => {
    const { rows } = await setup.pool.query(
      `select r.version, jsonb_array_length(c.payload -> 'evidence') as named,
         jsonb_array_length(c.provenance -> 'sources') as sources,
         (select count(*)::int from relations where source_id = r.id and predicate = 'derived_from') as linked
       from records as r join contents as c on c.record_id = r.id where scope = 'crowd' and type = 'semantic'`,
    )
    return rows
  }
  const [fact, ...others] = await read()
  expect({ others, version: fact.version, linked: fact.linked }).toEqual({
    others: [],
    version: 150,
    linked: 150,
  })
  expect([fact.named, fact.sources].map((count) => count >= 32 && count < 64)).toEqual([true, true])
  await insertTellingEpisodes(1)
  await setup.run('consolidate')
  expect(await read()).toEqual([{ ...fact, version: 151, linked: 151 }])
})
