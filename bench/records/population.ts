import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'

/**
 * Memories of many projects and ages, one hour after a decay sweep: the stored salience is an hour old, the exact one
 * a little lower. One statement inserts a million at a time.
 */
const statement = `
  with drawn as (
    select
      ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
      n,
      random() as salience,
      now() - random() * interval '60 days' as anchored_at,
      (array[86400, 259200, 604800, 2592000])[1 + n % 4] as half_life,
      (array['exponential', 'linear', 'huber', 'elastic'])[1 + (n / 4) % 4]::decay_curve as curve,
      n % 1000 = 0 as pinned
    from generate_series($1::int, $2::int) as n
  ), record as (
    insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
      scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
      max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
      emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
    select id, 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, anchored_at, 'project-' || n % 100,
      case when pinned then salience else salience * fading_factor(curve, least(64, greatest(0,
        date_part('epoch', now() - interval '1 hour' - anchored_at) / half_life))) end,
      salience, anchored_at, anchored_at, anchored_at,
      half_life, 0, 0, 0, 1, random(), 0.5, 0, 0, 0, 1, curve, 'auto_prune', pinned
    from drawn
  ), content as (
    insert into contents (record_id, tags, payload, provenance, search)
    select id, array['tag-' || n % 1000],
      jsonb_build_object('kind', 'semantic', 'subject', 'subject ' || n % 5000, 'predicate', 'knows',
        'object', 'object ' || n, 'validity', '{"mode": "global"}'::jsonb, 'evidence', '[]'::jsonb),
      '{"sources": [{"kind": "event", "ref": "bench"}]}',
      to_tsvector('simple', 'subject ' || n % 5000 || ' knows object ' || n)
    from drawn
  )
  insert into audit_entries (record_id, at, action, actor, rationale)
  select id, anchored_at, 'create', 'bench', 'created' from drawn`

const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** Inserts the records numbered from `first` to `last`; they are the same in every run. */
export async function populate({ pool }: BenchDatabase, first: number, last: number): Promise<void> {
  const session = await pool.connect()
  try {
    await session.query('select setseed(0.5)')
    await session.query(statement, [first, last])
  } finally {
    session.release()
  }
  await pool.query('vacuum (analyze) records, contents, audit_entries')
  const { rows } = await pool.query<{ count: string }>(
    'select count(*) from records join contents on record_id = id',
  )
  assert(Number(rows[0]?.count) === last, `${rows[0]?.count} of ${last} records are there`)
}

export function drawId(random: () => number, size: number): string {
  return idOf(1 + Math.floor(random() * size))
}
