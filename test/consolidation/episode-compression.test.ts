import { afterAll, expect, it } from 'vitest'
import { forget } from '../support/requests/capture-requests.ts'
import {
  consolidate,
  createScope,
  listRunChanges,
  omitDurations,
  zeroCounts,
} from '../support/requests/consolidation-requests.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const hour = 3_600_000

/** The curve stays flat for a week, so that a read shows only the effect of the job. */
const episode = (more: object = {}): Promise<Body> =>
  create(app, {
    type: 'episodic',
    payload: { kind: 'episodic' },
    scope: createScope(),
    lifecycle: { decay: { curve: 'exponential', half_life_seconds: 86_400 } },
    ...more,
  })
const operate = async (id: string, operation: string) => {
  const body = { actor: 'a', rationale: 'r' }
  const { status } = await app.request('POST', `/v1/records/${id}/${operation}`, { body })
  expect(status).toBe(200)
}

it('compression halves the salience of an episode once it is a day old, and only once', async () => {
  const { id } = await episode()
  app.clock.advance(24 * hour - 1)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  app.clock.advance(1)
  const before = await read(app, id)
  const run = await consolidate(app)
  expect(omitDurations(run)).toEqual({ ...zeroCounts, episodic_compressed: 1 })
  const after = await read(app, id)
  expect([before.salience, after.salience]).toEqual([0.5, 0.25])
  expect(after).toMatchObject({
    version: 2,
    updated_at: app.clock.now().toISOString(),
    lifecycle: { last_reinforced_at: before.lifecycle.last_reinforced_at },
  })
  expect(after.audit_log.at(-1)).toMatchObject({
    action: 'decay',
    actor: 'consolidation/episodic',
    run_id: run.id,
    changes: { base_salience: [1, 0.5], salience: [0.5, 0.25] },
  })
  expect(await listRunChanges(app, run)).toEqual([
    {
      record_id: id,
      action: 'compress',
      before: { base_salience: 1, salience: 0.5 },
      after: { base_salience: 0.5, salience: 0.25 },
    },
  ])
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  expect(await read(app, id)).toMatchObject({ version: 2, salience: 0.125 })
})

it('compression stops at 0.05 and leaves lower values alone', async () => {
  const some = await episode({ salience: 0.08 })
  const little = await episode({ salience: 0.04 })
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
  expect((await read(app, some.id)).salience).toBeCloseTo(0.025, 9)
  expect(await read(app, little.id)).toMatchObject({ version: 1 })
})

it('compression brings the pruning time forward', async () => {
  const { id } = await episode({ salience: 0.8 })
  app.clock.advance(24 * hour)
  const pruned = async () =>
    ((await app.request('GET', `/v1/records/${id}/forecast`)).body as Body).crossings.pruned
  const before = Date.parse(await pruned())
  await consolidate(app)
  expect(before - Date.parse(await pruned())).toBe(24 * hour)
})

it('compression skips a pinned episode until it is unpinned', async () => {
  const { id } = await episode()
  await operate(id, 'pin')
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  expect(await read(app, id)).toMatchObject({ salience: 1, version: 2 })
  await operate(id, 'unpin')
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
  expect(await read(app, id)).toMatchObject({ salience: 0.5 })
  await operate(id, 'pin')
  await operate(id, 'unpin')
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
})

it('compression skips a forgotten episode until it is restored', async () => {
  const { id } = await episode()
  app.clock.advance(24 * hour)
  await forget(app, id)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  await operate(id, 'restore')
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
})

it('compression skips a locked episode and takes it in the next run', async () => {
  const held = await episode()
  const free = await episode()
  app.clock.advance(24 * hour)
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = app.db.transaction().execute(async (tx) => {
    await tx.selectFrom('records').where('id', '=', held.id).select('id').forUpdate().execute()
    locked.resolve()
    await release.promise
  })
  await locked.promise
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
  expect(await read(app, free.id)).toMatchObject({ version: 2 })
  release.resolve()
  await holding
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
})

it('compression does not repeat for an imported episode that was compressed before the export', async () => {
  const { id } = await episode()
  app.clock.advance(24 * hour)
  await consolidate(app)
  const { text } = await app.request('GET', `/v1/records/${id}`)
  expect(JSON.parse(text).audit_log).toHaveLength(2)
  // Stored like an import: the record with its whole log, queued like a new one.
  await app.database.pool.query(
    `insert into unconsolidated (record_id, stage, due_at) values ($1, 'episodic', $2)`,
    [id, app.clock.now()],
  )
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
})
