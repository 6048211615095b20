import { afterAll, beforeAll, expect, it } from 'vitest'
import { forget } from '../support/capture-requests.ts'
import {
  consolidate,
  createScope,
  listRunChanges,
  omitDurations,
  zeroCounts,
} from '../support/consolidation-requests.ts'
import { type Body, create, read } from '../support/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const hour = 3_600_000

/** Of a curve that does not move, so that what is read is what was done. */
const episode = (more: object = {}): Promise<Body> =>
  create(app, {
    ...{ type: 'episodic', payload: { kind: 'episodic' }, scope: createScope() },
    lifecycle: { decay: { curve: 'exponential', half_life_seconds: 86_400 } },
    ...more,
  })
const operate = async (id: string, operation: string) => {
  const body = { actor: 'a', rationale: 'r' }
  const { status } = await app.request('POST', `/v1/records/${id}/${operation}`, { body })
  expect(status).toBe(200)
}

it('halves the salience of an episode once it is a day old, and never again', async () => {
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
    ...{ version: 2, updated_at: app.clock.now().toISOString() },
    lifecycle: { last_reinforced_at: before.lifecycle.last_reinforced_at },
  })
  expect(after.audit_log.at(-1)).toMatchObject({
    ...{ action: 'decay', actor: 'consolidation/episodic', run_id: run.id },
    changes: { base_salience: [1, 0.5], salience: [0.5, 0.25] },
  })
  expect(await listRunChanges(app, run)).toEqual([
    {
      ...{ record_id: id, action: 'compress' },
      ...{ before: { base_salience: 1, salience: 0.5 }, after: { base_salience: 0.5, salience: 0.25 } },
    },
  ])
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  expect(await read(app, id)).toMatchObject({ version: 2, salience: 0.125 })
})

it('leaves it at a twentieth, and alone what has less', async () => {
  const [some, little] = [await episode({ salience: 0.08 }), await episode({ salience: 0.04 })]
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
  expect((await read(app, some.id)).salience).toBeCloseTo(0.025, 9)
  expect(await read(app, little.id)).toMatchObject({ version: 1 })
})

it('brings forward when it is pruned', async () => {
  const { id } = await episode({ salience: 0.8 })
  app.clock.advance(24 * hour)
  const pruned = async () =>
    ((await app.request('GET', `/v1/records/${id}/forecast`)).body as Body).crossings.pruned
  const before = Date.parse(await pruned())
  await consolidate(app)
  expect(before - Date.parse(await pruned())).toBe(24 * hour)
})

it('leaves a pinned episode alone until it is let go', async () => {
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

it('passes over what was forgotten, and comes to it when it is restored', async () => {
  const { id } = await episode()
  app.clock.advance(24 * hour)
  await forget(app, id)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  await operate(id, 'restore')
  expect(omitDurations(await consolidate(app))).toEqual({ ...zeroCounts, episodic_compressed: 1 })
})

it('passes over what somebody has in hand, and comes to it the next time', async () => {
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

it('is remembered by an episode that is taken elsewhere', async () => {
  const { id } = await episode()
  app.clock.advance(24 * hour)
  await consolidate(app)
  const { text } = await app.request('GET', `/v1/records/${id}`)
  expect(JSON.parse(text).audit_log).toHaveLength(2)
  // As an import stores it: the record with its whole log, listed like any other that is new.
  await app.database.pool.query(
    `insert into unconsolidated (record_id, stage, due_at) values ($1, 'episodic', $2)`,
    [id, app.clock.now()],
  )
  app.clock.advance(24 * hour)
  expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
})
