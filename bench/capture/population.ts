import { createFactHandle, nameHandle } from '../../src/domain/identity/handles.ts'
import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'
import { factOf, groupSize, nameOf, type World } from './world.ts'

/**
 * Inserts the groups from first to last as records with contents, edges, handles and log; names and facts are those
 * of world.ts.
 */
const statement = `
  with drawn as materialized (
    select
      ('00000000-0000-7000-8000-' || lpad(to_hex(g * 10 + r), 12, '0'))::uuid as id,
      ('00000000-0000-7000-8000-' || lpad(to_hex(10 * (case when r <= 3 then g else
        g % 10 + 10 * floor($3::int / 100 * power(random(), 4))::int end)), 12, '0'))::uuid as about,
      g, r, 'team-' || g % 10 as scope, (array['project', 'tool', 'file'])[1 + g % 3] || '-' || g as name,
      case r when 0 then 'entity' when 1 then 'semantic' when 2 then 'semantic' when 3 then 'semantic'
        else 'episodic' end::record_type as type,
      now() - random() * interval '60 days' as anchored_at, random() as salience,
      (select string_agg('word' || floor(power(20000, random()))::int, ' ') from generate_series(1, 12) where r >= 0)
        as words
    from generate_series($1::int, $2::int) as g, generate_series(0, 9) as r
  ), said as materialized (
    select *, 'uses ' || r as predicate, 'value ' || r || ' of ' || g as object from drawn
  ), record as (
    insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
      scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
      max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
      emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
    select id, type, 'low', 'semantic', 'fact', 'active', 'ai', 1, anchored_at, scope, salience, salience,
      anchored_at, anchored_at, anchored_at, case type when 'episodic' then 259200 else 2592000 end,
      0, 0, 0.1, 1, random(), 0.5, 0, 0, 0, 1, 'exponential', 'auto_prune', false
    from said
  ), content as (
    insert into contents (record_id, tags, payload, provenance, words, search)
    select id, array['tag-' || g % 100], case type
        when 'entity' then jsonb_build_object('kind', 'entity', 'canonical_name', name,
          'primary_type', initcap(split_part(name, '-', 1)), 'types', array[initcap(split_part(name, '-', 1))],
          'aliases', '[]'::jsonb, 'identifiers', '[]'::jsonb)
        when 'semantic' then jsonb_build_object('kind', 'semantic', 'subject', name, 'predicate', predicate,
          'object', object, 'validity', '{"mode": "global"}'::jsonb, 'evidence', '[]'::jsonb)
        else jsonb_build_object('kind', 'episodic', 'tool_graph', '[]'::jsonb, 'artifacts', '[]'::jsonb,
          'timeline', jsonb_build_array(jsonb_build_object('t', '2026-01-01T00:00:00.000Z', 'event_kind', 'event',
            'ref', 'bench', 'summary', words)))
      end, '{"sources": [{"kind": "event", "ref": "bench"}]}', 12,
      to_tsvector('english', case type when 'entity' then name when 'semantic' then
        concat_ws(' ', name, predicate, object) else words end)
        || array_to_tsvector(array['scope ' || scope, 'type ' || type, 'text 1'])
    from said
  ), handle as (
    insert into handles (digest, detail, record_id, place, scope)
    select substring(sha256(convert_to(case type when 'entity' then '["name","' || name || '"]'
        else '["topic","' || name || '","' || predicate || '"]' end, 'UTF8')) for 16),
      case type when 'semantic' then substring(sha256(convert_to('"' || object || '"', 'UTF8')) for 16) end,
      id, case type when 'entity' then 0 end, scope
    from said where type <> 'episodic'
  ), logged as (
    insert into audit_entries (record_id, at, action, actor, rationale)
    select id, anchored_at, 'create', 'bench', 'created' from said
  )
  insert into relations (source_id, target_id, predicate, weight, created_at)
  select edge.source, edge.target, edge.predicate, 1, anchored_at
  from said cross join lateral (values
    (id, about, case type when 'semantic' then 'subject_entity' else 'mentions_entity' end),
    (about, id, case type when 'semantic' then 'fact_subject_of' else 'mentioned_in' end)
  ) as edge (source, target, predicate)
  where type <> 'entity'`

const groupsAtOnce = 5_000

export async function populate({ pool }: BenchDatabase, { records }: World): Promise<void> {
  const groups = records / groupSize
  const session = await pool.connect()
  try {
    await session.query('select setseed(0.5)')
    for (let first = 0; first < groups; first += groupsAtOnce) {
      const end = Math.min(groups, first + groupsAtOnce)
      await session.query(statement, [first, end - 1, 10 * end])
    }
  } finally {
    session.release()
  }
  await pool.query('vacuum (analyze)')
  await pool.query('checkpoint')
  await verify(pool, groups)
}

/** Checks samples: the rows must be those that the product writes, or everything would be captured as new. */
async function verify(pool: BenchDatabase['pool'], groups: number): Promise<void> {
  for (const group of [0, 1, 2, Math.floor(groups / 2), groups - 1]) {
    for (const { digest, detail } of [
      nameHandle(nameOf(group)),
      createFactHandle(factOf(group, 1 + (group % 3))),
    ]) {
      const { rowCount } = await pool.query(
        'select from handles where digest = $1 and detail is not distinct from $2',
        [digest, detail],
      )
      assert(rowCount === 1, `${rowCount} records of group ${group} are known by a handle`)
    }
  }
  const { rows } = await pool.query<{ count: string }>('select count(*) from records')
  assert(Number(rows[0]?.count) === groupSize * groups, `${rows[0]?.count} records are there`)
}
