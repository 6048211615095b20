import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Database } from '../../src/db/connection.ts'
import { combineAccesses } from '../../src/domain/importance/access-weights.ts'
import { scoreImportance, sourceTrust } from '../../src/domain/importance/importance.ts'
import { findLoggedAccesses } from '../../src/lifecycle/importance/importance.queries.ts'
import { computeImportance } from '../../src/lifecycle/index.ts'
import { vacuumTables } from '../decay/population.ts'
import { assert } from '../load.ts'

const day = 86_400_000

/**
 * A million memories of two months, mostly in layers that fade, with a stored importance of 0. Every fifth was used 1
 * to 40 times, until an hour ago: the importance of newer accesses changes during the measurement.
 */
export async function populate(pool: Pool, size: number): Promise<void> {
  await pool.query(
    `insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
       scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
       max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
       emotional_valence, access_count, served_count, last_accessed_at, confirmation_count, version, curve,
       deletion_policy, pinned)
     select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'episodic', 'low',
       (array['episodic', 'episodic', 'episodic', 'semantic', 'working'])[1 + n / 7 % 5]::memory_layer, 'narrative',
       'active', (array['human', 'ai', 'ingest'])[1 + n % 3]::source_type, 1, created, 'project-' || n % 100, 1, 1,
       created, created, created, 2592000, 0, 0, 0, 1, 0, 0.3 + random() / 2, random() * 2 - 1, uses, uses / 2,
       case when uses > 0 then now() - interval '1 hour' end, n % 4, 1, 'exponential', 'auto_prune', false
     from (
       select n, case when n % 5 = 0 then 1 + n / 5 % 40 else 0 end as uses,
         now() - (1 + random() * 60) * interval '1 day' as created
       from generate_series(1, $1::int) as n
     ) as drawn`,
    [size],
  )
  // Ordered by time, as a log is written: the accesses of one record are far apart.
  await pool.query(
    `insert into access_log (record_id, at, kind, actor)
     select id, at, kind, 'bench' from (
       select r.id, case when nth = 1 then r.last_accessed_at
           else r.created_at + random() * (r.last_accessed_at - r.created_at) end as at,
         (case when nth % 2 = 0 then 'served' else 'used' end)::access_kind as kind
       from records as r, generate_series(1, r.access_count) as nth
     ) as drawn order by at`,
  )
  await vacuumTables(pool, ['records', 'access_log'])
}

/** Checks that every stored importance is near the exact one; for a sample also in TypeScript. */
export async function verifyScores(
  { pool, db }: { pool: Pool; db: Database },
  now: Date,
  size: number,
): Promise<void> {
  const { join, importance } = computeImportance(now)
  const { rows } = await sql<{ near: number; all: number }>`
    select count(*) filter (where abs(r.importance - ${importance}) <= 0.01 + 1e-12) as near, count(*) as all
    from records as r ${join}
  `.execute(db)
  const { near, all } = rows[0] ?? {}
  assert(near === size && all === size, `${near} of ${all} records are near their exact importance`)
  const { rows: sample } = await pool.query<{ id: string }>(
    `select id from records where access_count % 13 = 1 order by id limit 500`,
  )
  for (const { id } of sample) await verifyOne(db, id, now)
}

async function verifyOne(db: Database, id: string, now: Date): Promise<void> {
  const stored = await db.selectFrom('records').where('id', '=', id).selectAll().executeTakeFirstOrThrow()
  const exact = scoreImportance({
    base_importance: stored.base_importance,
    emotional_valence: stored.emotional_valence,
    accesses: combineAccesses(stored, await findLoggedAccesses(db, id), now),
    age_days: (now.getTime() - stored.created_at.getTime()) / day,
    layer: stored.layer,
    source_trust: sourceTrust[stored.source_type],
    confirmations: stored.confirmation_count,
  })
  assert(Math.abs(stored.importance - exact) <= 0.010_001, `${id} has ${stored.importance}, not ${exact}`)
}
