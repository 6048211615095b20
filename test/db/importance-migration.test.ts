import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

const database = await openDatabaseAt('0012_windows')
afterAll(() => database.close())

/** Inserts records of which the nth was used n times and served twice as often. */
async function storeAsBefore(count: number): Promise<void> {
  await sql`
    with drawn as (
      select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, n
      from generate_series(0, ${count}::int - 1) as n
    ), record as (
      insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
        scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
        max_age_seconds, min_salience, reinforcement_gain, importance, base_importance, emotional_valence,
        access_count, confirmation_count, version, curve, deletion_policy, pinned)
      select id, 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, now(), '', 1, 1, now(), now(), now(),
        86400, 0, 0, 0, 0, 0, 0, 3 * n, 0, 1, 'exponential', 'auto_prune', false
      from drawn
    )
    insert into access_log (record_id, at, kind, actor)
    select id, now(), (case nth % 3 when 0 then 'used' else 'served' end)::access_kind, 'test'
    from drawn, generate_series(1, 3 * n) as nth
  `.execute(database.db)
}

it('the importance migration counts earlier served accesses, and reverts without losing an access', async () => {
  await storeAsBefore(5)
  await migrateUp(database.db)
  const { rows } = await sql`select access_count, served_count from records order by id`.execute(database.db)
  expect(rows).toEqual([0, 1, 2, 3, 4].map((n) => ({ access_count: 3 * n, served_count: 2 * n })))
  await migrateDown(database.db, '0012_windows')
  const { rows: left } = await sql`select count(*)::int as count from access_log`.execute(database.db)
  expect(left).toEqual([{ count: 30 }])
  await migrateUp(database.db)
})
