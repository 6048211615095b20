import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

const database = await openDatabaseAt('0073_fruitless_attempts')
afterAll(() => database.close())

const [erased, left] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
const revised = '00000000-0000-7000-8000-000000000003'

/** One record was revised to another, which an erase of the version before removed. */
async function storeAsBefore(): Promise<void> {
  await sql`
    with departure as (
      insert into departures (id, created_at, departed_at, scope, type, sensitivity, kind, reason, actor, numbers)
      values (${erased}, now(), now(), '', 'semantic', 'low', 'erased', 'erased', 'desk', '{}')
    ), record as (
      insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
        scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
        max_age_seconds, min_salience, reinforcement_gain, importance, base_importance, emotional_valence,
        access_count, confirmation_count, version, curve, deletion_policy, pinned)
      values (${left}, 'semantic', 'low', 'semantic', 'fact', 'superseded', 'ai', 1, now(), '', 0, 0, now(), now(),
        now(), 86400, 0, 0, 0, 0, 0, 0, 0, 0, 2, 'exponential', 'auto_prune', false)
    ), move as (
      insert into status_changes (record_id, at, old, new, actor, reason, step)
      select ${left}, now(), 'active', 'superseded', 'ada', 'her name', 'supersede' from (values (1)) as one
    )
    insert into audit_entries (record_id, at, action, actor, rationale, changes, operation_id) values
      (${erased}, now(), 'create', 'ada', '', null, ${revised}),
      (${left}, now(), 'create', 'ada', 'created', null, null),
      (${left}, now(), 'revise', 'ada', 'her name', '{"salience": [1, 0]}', ${revised})
  `.execute(database.db)
}

async function readLog() {
  const { rows } = await sql`
    select action, rationale, changes from audit_entries where record_id = ${left} order by id
  `.execute(database.db)
  return rows
}

it('the migration of erased words removes what earlier erases left, and keeps what changed', async () => {
  await storeAsBefore()
  await migrateUp(database.db)
  const log = [
    { action: 'create', rationale: 'created', changes: null },
    { action: 'revise', rationale: '', changes: { salience: [1, 0] } },
  ]
  expect(await readLog()).toEqual(log)
  const { rows } = await sql`select reason from status_changes`.execute(database.db)
  expect(rows).toEqual([{ reason: '' }])
  for (const change of [
    `rationale = 'another'`,
    `rationale = '', changes = '{}'`,
    `rationale = '', actor = 'bo'`,
  ])
    await expect(
      sql`update audit_entries set ${sql.raw(change)} where action = 'revise'`.execute(database.db),
    ).rejects.toThrow('append-only')
  await migrateDown(database.db, '0073_fruitless_attempts')
  expect(await readLog()).toEqual(log)
  await migrateUp(database.db)
})
