import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { openEmptyTestDatabase } from '../support/servers/database.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'

const connection = await openEmptyTestDatabase(2)
await migrateUp(connection.db)
afterAll(() => connection.close())

const tools = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}`, tool: 't' }))

async function store(n: number, payload: object): Promise<void> {
  const id = `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
  await sql`
    with record as (
      insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
        scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
        max_age_seconds, min_salience, reinforcement_gain, importance, base_importance, emotional_valence,
        access_count, confirmation_count, version, curve, deletion_policy, pinned)
      values (${id}::uuid, ${'kind' in payload ? payload.kind : ''}::record_type, 'low', 'episodic', 'narrative', 'active',
        'ai', 1, '2026-01-01T00:00:00Z', '', 1, 1, now(), now(), now(), 86400, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'exponential',
        'auto_prune', false)
    )
    insert into contents (record_id, tags, payload, provenance, search)
    values (${id}::uuid, '{}', ${JSON.stringify(payload)}::jsonb, '{"sources": [{}]}', '')
  `.execute(connection.db)
}

async function readQueue(): Promise<Record<number, string[]>> {
  const { rows } = await sql<{ n: number; stages: string[] }>`
    select ('x' || right(record_id::text, 8))::bit(32)::int as n, array_agg(stage::text order by stage) as stages
    from unconsolidated where due_at = '2026-01-01T00:00:00Z' group by 1
  `.execute(connection.db)
  return Object.fromEntries(rows.map(({ n, stages }) => [n, stages]))
}

const episode = (count: number, outcome?: string) => ({
  kind: 'episodic',
  timeline: [],
  artifacts: [],
  tool_graph: tools(count),
  ...(outcome === undefined ? {} : { outcome }),
})
const payloads = [
  episode(0),
  episode(3),
  episode(0, 'success'),
  episode(1, 'success'),
  episode(3, 'success'),
  episode(3, 'failure'),
  episode(3, 'partial'),
  { kind: 'semantic', subject: 's', predicate: 'p', object: 1, evidence: [] },
]
const due = {
  0: ['episodic', 'extraction'],
  1: ['episodic', 'extraction'],
  2: ['episodic', 'semantic', 'extraction'],
  3: ['episodic', 'semantic', 'extraction', 'competence'],
  4: ['episodic', 'semantic', 'extraction', 'competence', 'plan_graph'],
  5: ['episodic', 'extraction', 'competence', 'plan_graph'],
  6: ['episodic', 'extraction'],
}

it('an episode is queued for the stages that can learn from it, both by the trigger and by the migration', async () => {
  for (const [n, payload] of payloads.entries()) await store(n, payload)
  expect(await readQueue()).toEqual(due)
  await migrateDown(connection.db, '0009_embeddings')
  await migrateUp(connection.db)
  expect(await readQueue()).toEqual(due)
})

it('an episode with a corrected outcome is queued again for the stages that count outcomes', async () => {
  await sql`delete from unconsolidated`.execute(connection.db)
  const correct = (outcome: string) =>
    sql`update contents set payload = payload || jsonb_build_object('outcome', ${outcome}::text)
      where payload ->> 'kind' = 'episodic'`.execute(connection.db)
  await correct('partial')
  expect(await readQueue()).toEqual({
    1: ['competence', 'plan_graph'],
    3: ['competence'],
    4: ['competence', 'plan_graph'],
    5: ['competence', 'plan_graph'],
  })
  await sql`delete from unconsolidated`.execute(connection.db)
  await correct('partial')
  expect(await readQueue()).toEqual({})
})
