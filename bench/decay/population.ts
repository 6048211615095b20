import type { Pool, PoolClient } from 'pg'
import { assert } from '../load.ts'

/** A pool, or a connection with settings of its own. */
type Queryable = Pool | PoolClient

/**
 * A million records with curves that have no lasting order, one or two days old and never swept: each is due. Records
 * that will be pruned or deleted have contents and a log; a sweep reads neither.
 */
export async function populate(pool: Queryable, size: number, withContents: number): Promise<void> {
  await pool.query(
    `insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
       scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
       max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
       emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
     select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'semantic', 'low', 'semantic', 'fact',
       'active', 'ai', 1, created, 'project-' || n % 100, base, base, created, created, created,
       2592000, 0, 0, 0, 1, random(), 0.5, 0, 0, 0, 1,
       (array['linear', 'huber', 'elastic'])[1 + n % 3]::decay_curve, 'auto_prune', false
     from (
       select n, 0.5 + random() / 2 as base, now() - (1 + random()) * interval '1 day' as created
       from generate_series(1, $1::int) as n
     ) as drawn`,
    [size],
  )
  await pool.query(
    `with written as (
       insert into contents (record_id, tags, payload, provenance, search)
       select id, array['tag-' || random()::text], '{"kind": "semantic", "subject": "s", "predicate": "p", "object": 1}',
         '{"sources": [{"kind": "event", "ref": "bench"}]}', to_tsvector('simple', 'the subject of ' || id)
       from records where id <= $1
     )
     insert into audit_entries (record_id, at, action, actor, rationale)
     select id, created_at, 'create', 'bench', 'created' from records where id <= $1`,
    [idOf(withContents)],
  )
  await vacuumTables(pool, ['records', 'contents', 'audit_entries'])
}

/** A copy with the same rows and indexes, without computed columns: the least cost of an update. */
export async function copyPlain(pool: Pool): Promise<void> {
  await pool.query('create table plain (like records including indexes)')
  await pool.query('insert into plain select * from records')
  await vacuumTables(pool, ['plain'])
}

/** The seconds of one update of all `size` rows of the copy. */
export async function updatePlain(pool: Pool, change: string, size: number): Promise<number> {
  await vacuumTables(pool, ['plain'])
  const started = performance.now()
  const { rowCount } = await pool.query(`update plain set ${change}`)
  assert(rowCount === size, `${rowCount} plain rows were updated`)
  return (performance.now() - started) / 1_000
}

/** Dead rows and a running checkpoint would be measured with the next step. */
export async function vacuumTables(pool: Queryable, tables: readonly string[]): Promise<void> {
  await pool.query(`vacuum (analyze) ${tables.join(', ')}`)
  await pool.query('checkpoint')
}

export function idOf(n: number): string {
  return `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

/** Checks that every stored salience equals the closed form at the instant of the sweep. */
export async function verifySwept(pool: Pool, asOf: Date, size: number): Promise<void> {
  const { rows } = await pool.query<{ exact: string; all: string }>(
    `select count(*) filter (where abs(salience - salience_at(r, $1)) < 1e-12) as exact, count(*) as all
     from records as r where forgotten_at is null`,
    [asOf],
  )
  const { exact, all } = rows[0] ?? {}
  assert(Number(exact) === size && Number(all) === size, `${exact} of ${all} records are exact`)
}
