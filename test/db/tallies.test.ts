import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { addTallies } from '../../src/db/tallies.ts'
import { sumTallies } from '../../src/metrics/store.queries.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'

let connection: Awaited<ReturnType<typeof openTestDatabase>>

beforeEach(async () => {
  connection = await openTestDatabase({ lockTimeoutMs: 1_000 })
})
afterEach(() => connection.close())

const read = async () =>
  Object.fromEntries((await sumTallies(connection.db)).map(({ name, value }) => [name, value]))

describe('the tallies of a table', () => {
  it('add up concurrent counts without a loss', async () => {
    const { db } = connection
    const count = () => db.transaction().execute((tx) => addTallies(tx, { forgotten: 1, restored: 2 }))
    await Promise.all(Array.from({ length: 60 }, count))
    expect(await read()).toEqual({ forgotten: 60, restored: 120 })
  })

  it('do not block: an open transaction that counted does not stop another', async () => {
    const { db } = connection
    await db.transaction().execute(async (open) => {
      await addTallies(open, { forgotten: 1 })
      await db.transaction().execute((other) => addTallies(other, { forgotten: 1 }))
      expect(await read()).toEqual({ forgotten: 1 })
    })
    expect(await read()).toEqual({ forgotten: 2 })
  })

  it('are rolled back with their transaction', async () => {
    const taken = connection.db.transaction().execute(async (tx) => {
      await addTallies(tx, { forgotten: 5 })
      throw new Error('taken back')
    })
    await expect(taken).rejects.toThrow()
    expect(await read()).toEqual({})
  })
})

it('the tallies migration counts the earlier runs, and can be reverted', async () => {
  const { db } = connection
  await migrateDown(db, '0019_imports')
  await sql`
    insert into maintenance_runs (id, job, trigger, dry_run, options, status, done, stats, attempts,
      cancel_requested, created_at, started_at, finished_at)
    select gen_random_uuid(), 'decay', 'manual', n = 3, '{}', status::run_status, 0,
      '{"pruned": 4, "oddity": "none"}', 1, false, now(), now(), now() + interval '2 seconds'
    from (values (1, 'succeeded'), (2, 'succeeded'), (3, 'succeeded'), (4, 'failed')) as given (n, status)
  `.execute(db)
  await migrateUp(db)
  expect(await read()).toEqual({
    'run/decay/succeeded': 2,
    'run/decay/failed': 1,
    'run_seconds/decay': 6,
    'job/decay/pruned': 12,
  })
  await migrateDown(db, '0019_imports')
  await migrateUp(db)
  expect(await read()).toMatchObject({ 'job/decay/pruned': 12 })
})
