import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

const database = await openDatabaseAt('0056_lz4')
afterAll(() => database.close())

const ids = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
const runId = '00000000-0000-7000-8000-00000000000a'
const digest = `'\\x${'01'.repeat(16)}'`
const time = `timestamptz '2026-01-01 00:00:00+00'`

const statements = [
  `insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
     scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds, max_age_seconds,
     min_salience, reinforcement_gain, importance, base_importance, emotional_valence, access_count,
     confirmation_count, version, curve, deletion_policy, pinned)
   select id, 'episodic', 'low', 'episodic', 'narrative', 'active', 'ai', 1, ${time}, 'project', 1, 1, ${time}, ${time},
     ${time}, 86400, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'exponential', 'auto_prune', false
   from unnest('{${ids.join()}}'::uuid[]) as id`,
  `insert into contents (record_id, tags, payload, provenance, search)
   select id, '{}', '{"kind": "episodic", "timeline": []}', '{"sources": [{}]}', 'word' from records`,
  `insert into relations (source_id, predicate, target_id, weight, created_at)
   values ('${ids[0]}', 'supports', '${ids[1]}', 1, ${time})`,
  `insert into descents (derived_id, source_id, kind, is_ground) values ('${ids[0]}', '${ids[1]}', 'consolidation', true)`,
  `insert into handles (digest, record_id, scope) select ${digest}, id, scope from records`,
  `insert into episode_tallies (episode_id, stage, outcome, digest, scope)
   select id, 'competence', 'success', ${digest}, scope from records`,
  `insert into relations (source_id, predicate, target_id, weight, created_at)
   values ('${ids[0]}', 'supports', '${ids[1]}', 0.5, ${time}), ('${ids[1]}', 'supports', '${ids[0]}', 0.5, ${time})
   on conflict on constraint relations_pkey do update set weight = excluded.weight`,
  `update records set base_salience = base_salience / 2, version = version + 1`,
  `update records set layer = layer`,
  `update contents set tags = '{tag}' where record_id = '${ids[0]}'`,
  `delete from unconsolidated where stage = 'episodic'`,
  `delete from descents`,
  `delete from records where id = '${ids[0]}'`,
  `delete from records`,
]

/** The rows that a run keeps when it executes the statements, table by table, without the columns that later migrations added. */
async function listKept() {
  return database.db.transaction().execute(async (tx) => {
    await sql`select set_config('membrane.effects', ${runId}, true)`.execute(tx)
    for (const statement of statements) await sql.raw(statement).execute(tx)
    const { rows } = await sql<{ relation: string }>`
      select run_id, relation, record_id, before - '{changed,revealed}'::text[] as before, after - '{changed,revealed}'::text[] as after
      from run_effects where run_id = ${runId}::uuid
      order by relation, 4, 5
    `.execute(tx)
    await sql`delete from run_effects`.execute(tx)
    return rows
  })
}

it('keeps the same rows of a run as before, and can be reverted', async () => {
  const before = await listKept()
  expect([...new Set(before.map(({ relation }) => relation))]).toEqual(
    expect.arrayContaining(['records', 'contents', 'relations', 'handles', 'descents', 'unconsolidated']),
  )
  await migrateUp(database.db)
  expect(await listKept()).toEqual(before)
  await migrateDown(database.db, '0056_lz4')
  expect(await listKept()).toEqual(before)
})

it('keeps the rows of a shard or a partition under the name of its table', async () => {
  await migrateUp(database.db)
  const { rows } = await database.db.transaction().execute(async (tx) => {
    await sql`
      create table contents_102008 (record_id uuid, words int);
      create trigger added after insert on contents_102008 referencing new table as added
        for each statement execute function note_inserted('record_id');
      create trigger changed after update on contents_102008
        for each row execute function note_effect('record_id', 'record_id');
      create trigger removed after delete on contents_102008 referencing old table as gone
        for each statement execute function note_deleted('record_id');
    `.execute(tx)
    await sql`select set_config('membrane.effects', ${runId}, true)`.execute(tx)
    await sql`insert into contents_102008 values (${ids[0]}, 1)`.execute(tx)
    await sql`update contents_102008 set words = 2`.execute(tx)
    await sql`delete from contents_102008`.execute(tx)
    return sql<{ relation: string }>`
      select relation from run_effects where run_id = ${runId}::uuid order by id
    `.execute(tx)
  })
  expect(rows).toEqual(Array.from({ length: 3 }, () => ({ relation: 'contents' })))
})
