import type { WorkerSetup } from '../workers/worker-setup.ts'

type Population = { scope?: string; count: number; createdAt: Date; offset?: number }

/**
 * Inserts records of every curve with half-lives from two hours to two days: some are pinned, some have a floor,
 * some expire. Each has a content and an audit entry.
 */
export async function insertFadingRecords(
  { pool }: WorkerSetup,
  { scope = '', count, createdAt, offset = 0 }: Population,
) {
  await pool.query(
    `with drawn as (
       select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
         (array['linear', 'huber', 'elastic', 'exponential'])[1 + n % 4]::decay_curve as curve,
         7200 * (1 + n % 24) as half_life, 0.2 + (n % 80) / 100.0 as base,
         case when n % 7 = 0 then 0.05 else 0 end as floor, n % 11 = 0 as pinned,
         case when n % 5 = 0 then $2::timestamptz + interval '30 hours' end as expires_at
       from generate_series($4::int + 1, $4::int + $1::int) as n
     ), record as (
       insert into records (id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at,
         expires_at, prune_at, half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience,
         confidence, importance, base_importance, emotional_valence, access_count, confirmation_count, version,
         type, sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope)
       select id, $2, $2, base, base, $2, $2, expires_at,
         case when not pinned and (floor = 0 or expires_at is not null)
           then least(expires_at, $2::timestamptz + 2 * half_life * interval '1 second') end,
         half_life, 0, floor, 0.1, 1, 1, 0.5, 0.5, 0, 0, 0, 1, 'semantic', 'low', 'semantic', 'fact', 'active',
         'ai', curve, 'auto_prune', pinned, $3
       from drawn
     ), content as (
       insert into contents (record_id, tags, payload, provenance, search)
       select id, '{}', '{"kind": "semantic", "subject": "s", "predicate": "p", "object": 1}',
         '{"sources": [{"kind": "event", "ref": "test"}]}', ''
       from drawn
     )
     insert into audit_entries (record_id, at, action, actor, rationale)
     select id, $2, 'create', 'test', 'created' from drawn`,
    [count, createdAt, scope, offset],
  )
}

/** Reads everything that a decay sweep changes, and what it must not change. */
export async function readState({ pool }: WorkerSetup): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select r.id, salience, base_salience, anchored_at, version, updated_at, forgotten_at, forgotten_reason,
       forgotten_by, purge_at, (select json_agg(json_build_array(action, actor, rationale, at) order by a.id)
         from audit_entries a where a.record_id = r.id) as audit
     from records r order by r.id`,
  )
  return rows
}
