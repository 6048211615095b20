import type { Pool } from 'pg'

/**
 * Episodes as agents write them, three days old: one event of about eighty words each, in fifty projects. 60 %
 * succeeded, 15 % failed, the others have no outcome. 25 % called two tools and 15 % called four, in one of a few
 * orders.
 */
export type Population = {
  /** The number before the first id. */
  offset: number
  count: number
  /** How many of a hundred say something new; the others repeat a known thing. */
  newInHundred: number
}

const projects = 50
/** Known things per project. */
const sayings = 40
export const known = projects * sayings

export async function populate(pool: Pool, { offset, count, newInHundred }: Population): Promise<void> {
  await pool.query(
    `with drawn as materialized (
       select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
         now() - interval '3 days' - (n % 100000) * interval '1 second' as created, 'project-' || n % ${projects} as scope,
         case when (n / ${projects}) % 20 < 12 then 'success' when (n / ${projects}) % 20 < 15 then 'failure' end as outcome,
         case when (n / ${known}) % 100 >= $3 then 'known ' || (n / ${projects}) % ${sayings} else 'new ' || n end as saying,
         (n / ${known}) % 20 as tools
       from generate_series($1::int + 1, $1::int + $2::int) as n
     ), record as (
       insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
         scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, prune_at, half_life_seconds,
         max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
         emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
       select id, 'episodic', 'low', 'episodic', 'narrative', 'active', 'ai', 1, created, scope, 1, 1, created, created, created,
         created + interval '30 days', 259200, 0, 0, 0.1, 1, 0.5, 0.5, 0, 0, 0, 1, 'exponential', 'auto_prune', false
       from drawn
     ), log as (
       insert into audit_entries (record_id, at, action, actor, rationale)
       select id, created, 'create', 'bench', 'captured' from drawn
     )
     insert into contents (record_id, tags, payload, provenance, words, search)
     select id, array['bench'], jsonb_build_object(
         'kind', 'episodic', 'artifacts', '[]'::jsonb,
         'timeline', jsonb_build_array(jsonb_build_object('t', created, 'event_kind', 'deploy', 'ref', 'job ' || n,
           'summary', 'In ' || scope || ' the release train brought out ' || saying)),
         'environment', jsonb_build_object('context', jsonb_build_object('text', repeat('what else was seen ' || n, 16))),
         'tool_graph', case
           when tools < 3 then jsonb_build_array(
             jsonb_build_object('id', 'a', 'tool', 'fetch', 'depends_on', '[]'::jsonb),
             jsonb_build_object('id', 'b', 'tool', 'build ' || n % 3, 'depends_on', '["a"]'::jsonb),
             jsonb_build_object('id', 'c', 'tool', 'test', 'depends_on', '["b"]'::jsonb),
             jsonb_build_object('id', 'd', 'tool', 'ship', 'depends_on', '["b", "c"]'::jsonb))
           when tools < 8 then jsonb_build_array(
             jsonb_build_object('id', 'a', 'tool', 'read ' || n % 3, 'depends_on', '[]'::jsonb),
             jsonb_build_object('id', 'b', 'tool', 'write', 'depends_on', '["a"]'::jsonb))
           else '[]'::jsonb end
       ) || case when outcome is null then '{}'::jsonb else jsonb_build_object('outcome', outcome) end,
       jsonb_build_object('sources', jsonb_build_array(jsonb_build_object('kind', 'event', 'ref', 'job ' || n))), 80,
       to_tsvector('english', 'In ' || scope || ' the release train brought out ' || saying)
         || array_to_tsvector(array['scope ' || scope, 'type episodic', 'text 1'])
     from drawn`,
    [offset, count, newInHundred],
  )
}

/** Other records of a store: facts that consolidation does not read. */
export async function populateFacts(pool: Pool, offset: number, count: number): Promise<void> {
  await pool.query(
    `with record as (
       insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
         scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
         max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
         emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
       select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'semantic', 'low', 'semantic', 'fact',
         'active', 'ai', 1, now(), 'project-' || n % ${projects}, 1, 1, now(), now(), now(), 2592000, 0, 0, 0.1, 1,
         0.5, 0.5, 0, 0, 0, 1, 'exponential', 'auto_prune', false
       from generate_series($1::int + 1, $1::int + $2::int) as n
       returning id
     )
     insert into contents (record_id, tags, payload, provenance, search)
     select id, '{}', '{"kind": "semantic", "subject": "s", "predicate": "p", "object": 1, "evidence": []}',
       '{"sources": [{"kind": "event", "ref": "bench"}]}', ''
     from record`,
    [offset, count],
  )
}

export async function vacuumTables(pool: Pool): Promise<void> {
  await pool.query('vacuum (analyze) records, contents, audit_entries, relations, handles, unconsolidated')
  await pool.query('checkpoint')
}
