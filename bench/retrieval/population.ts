import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'

/** Words are as common as by Zipf, without the first few, which are stop words in a language. */
const mostCommon = 20
const vocabulary = 20_000

/**
 * Facts of twelve words, common and rare as in a language, with several half-lives and ages. One in fifty is an
 * entity with a name; every other record mentions one, and thousands mention the same few.
 */
const statement = `
  with drawn as materialized (
    select
      ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
      n,
      n % 50 = 0 as is_entity,
      random() as salience,
      now() - random() * interval '60 days' as anchored_at,
      (array[86400, 259200, 604800, 2592000])[1 + n % 4] as half_life,
      case when n % 50 = 0 then 'entity ' || n else (
        select string_agg('word' || floor(${mostCommon} * power(${vocabulary / mostCommon}, random()))::int, ' ') from generate_series(1, 12)
        where n > 0
      ) end as text,
      50 * (1 + floor($2::int / 50 * power(random(), 4)))::int as mentioned
    from generate_series($1::int, $2::int) as n
  ), record as (
    insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
      scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
      max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
      emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
    select id, (case when is_entity then 'entity' else 'semantic' end)::record_type, 'low', 'semantic', 'fact', 'active',
      'ai', 1, anchored_at, 'project-' || n % 100,
      salience * fading_factor('exponential', least(64, greatest(0,
        date_part('epoch', now() - interval '1 hour' - anchored_at) / half_life))),
      salience, anchored_at, anchored_at, anchored_at,
      half_life, 0, 0, 0, 1, random(), 0.5, 0, 0, 0, 1, 'exponential', 'auto_prune', false
    from drawn
  ), content as (
    insert into contents (record_id, tags, payload, provenance, words, search)
    select id, array['tag-' || n % 1000],
      case when is_entity
        then jsonb_build_object('kind', 'entity', 'canonical_name', text, 'primary_type', 'Service',
          'types', '["Service"]'::jsonb, 'aliases', '[]'::jsonb, 'identifiers', '[]'::jsonb)
        else jsonb_build_object('kind', 'semantic', 'subject', 'project', 'predicate', 'states',
          'object', text, 'validity', '{"mode": "global"}'::jsonb, 'evidence', '[]'::jsonb)
      end,
      '{"sources": [{"kind": "event", "ref": "bench"}]}', 12,
      to_tsvector('english', text)
        || array_to_tsvector(array['scope project-' || n % 100, case when is_entity then 'type entity' else 'type semantic' end, 'text 1'])
    from drawn
  ), handle as (
    insert into handles (digest, record_id, place, scope)
    select substring(sha256(convert_to('["name","' || text || '"]', 'UTF8')) for 16), id, 0, 'project-' || n % 100
    from drawn where is_entity
  ), logged as (
    insert into audit_entries (record_id, at, action, actor, rationale)
    select id, anchored_at, 'create', 'bench', 'created' from drawn
  )
  insert into relations (source_id, target_id, predicate, weight, created_at)
  select pair.source, pair.target, pair.predicate, 1, drawn.anchored_at
  from drawn cross join lateral (
    values (id, ('00000000-0000-7000-8000-' || lpad(to_hex(mentioned), 12, '0'))::uuid, 'mentions_entity'),
      (('00000000-0000-7000-8000-' || lpad(to_hex(mentioned), 12, '0'))::uuid, id, 'mentioned_in')
  ) as pair (source, target, predicate)
  where not is_entity`

/**
 * Inserts the records numbered from `first` to `last`; they are the same in every run. Both numbers are multiples of
 * 50.
 */
export async function populate({ pool }: BenchDatabase, first: number, last: number): Promise<void> {
  const session = await pool.connect()
  try {
    await session.query('select setseed(0.5)')
    for (let from = first; from < last; from += 50_000) {
      await session.query(statement, [from + 1, Math.min(last, from + 50_000)])
    }
  } finally {
    session.release()
  }
  await pool.query('vacuum (analyze) records, contents, relations, handles, audit_entries')
  const { rows } = await pool.query<{ count: string }>('select count(*) from records')
  assert(Number(rows[0]?.count) === last, `${rows[0]?.count} of ${last} records are there`)
}

/** The words of a task: by Zipf, only from the eighty most common, or only from the rarer nine tenths. */
export type Wording = 'mixed' | 'common' | 'rare'

/** A task with some words and the name of an entity. */
export function drawTask(random: () => number, size: number, wording: Wording = 'mixed'): string {
  const numbers = {
    mixed: () => mostCommon * (vocabulary / mostCommon) ** random(),
    common: () => mostCommon + 80 * random(),
    rare: () => vocabulary * (0.1 + 0.9 * random()),
  }
  const word = () => `word${Math.floor(numbers[wording]())}`
  const entity = 50 * (1 + Math.floor((size / 50 - 1) * random()))
  return `How do we ${word()} the ${word()} ${word()} of entity ${entity} when ${word()} is ${word()}?`
}
