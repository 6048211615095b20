import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteExpiredAnswers } from '../../src/http/queries.ts'
import { createPurge } from '../../src/maintenance/index.ts'
import { openTestDatabase } from '../support/database.ts'

const now = new Date('2026-01-02T00:00:00.000Z')
const running = new AbortController().signal

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const createPurgeAt = (instant: Date, deleteExpired = deleteExpiredAnswers) =>
  createPurge({
    db: database.db,
    clock: { now: () => instant },
    expired: { idempotency_keys: deleteExpired },
  })

/** `count` answers that expire at `expiresAt`. */
async function storeAnswers(count: number, expiresAt: Date): Promise<void> {
  await database.pool.query(
    `insert into idempotency_keys (principal, key, fingerprint, status, headers, body, created_at, expires_at)
     select 'root', $2::text || n, 'f', 200, '{}', null, $1, $1 from generate_series(1, $3::int) n`,
    [expiresAt, expiresAt.toISOString(), count],
  )
}

async function countAnswers(): Promise<number> {
  const { rows } = await database.pool.query('select count(*)::int as count from idempotency_keys')
  return rows[0].count
}

it('deletes every answer that has expired, and no other', async () => {
  await storeAnswers(2_500, now)
  await storeAnswers(3, new Date(now.getTime() + 1))
  expect(await createPurgeAt(now)({}, running)).toEqual({ idempotency_keys: 2_500 })
  expect(await countAnswers()).toBe(3)
})

it('finds nothing more to do when it runs again', async () => {
  await storeAnswers(5, now)
  await createPurgeAt(now)({}, running)
  expect(await createPurgeAt(now)({}, running)).toEqual({ idempotency_keys: 0 })
})

it('shares the work with a second worker and counts each row once', async () => {
  await storeAnswers(6_000, now)
  const reports = await Promise.all([createPurgeAt(now)({}, running), createPurgeAt(now)({}, running)])
  const deleted = reports.reduce((sum, report) => sum + (report['idempotency_keys'] ?? 0), 0)
  expect(deleted).toBe(6_000)
  expect(await countAnswers()).toBe(0)
})

it('passes over a row that is in use rather than waiting for it', async () => {
  await storeAnswers(3, now)
  const holder = await database.pool.connect()
  await holder.query('begin')
  await holder.query('select from idempotency_keys limit 1 for update')
  expect(await createPurgeAt(now)({}, running)).toEqual({ idempotency_keys: 2 })
  await holder.query('rollback')
  holder.release()
})

it('ends after the batch at hand when the worker stops', async () => {
  await storeAnswers(3_000, now)
  const stopping = new AbortController()
  const purge = createPurgeAt(now, async (db, at, limit) => {
    const count = await deleteExpiredAnswers(db, at, limit)
    stopping.abort()
    return count
  })
  expect(await purge({}, stopping.signal)).toEqual({ idempotency_keys: 1_000 })
  expect(await countAnswers()).toBe(2_000)
})
