import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { nearestSearched } from './candidate-count.ts'

export type Extension = { available: string | null; installed: string | null; hasBrokenIndex: boolean }

/** The version of pgvector that there is, and whether an index of it was left half built. */
export async function findExtension(db: Database): Promise<Extension> {
  const { rows } = await sql<Extension>`
    select default_version as available, installed_version as installed, exists (
      select from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass and c.relname = 'signatures_nearest' and not i.indisvalid
    ) as "hasBrokenIndex"
    from pg_available_extensions where name = 'vector'
  `.execute(db)
  return rows[0] ?? { available: null, installed: null, hasBrokenIndex: false }
}

/** Any constant that no other advisory lock of the product uses. */
const indexingLock = 7_350_009

/** False when another session is at it: waiting would hold up the very index it builds. */
export async function tryLockIndexing(session: Database): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_lock(${indexingLock}) as taken,
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)
  `.execute(session)
  return rows[0]?.taken ?? false
}

export async function unlockIndexing(session: Database): Promise<void> {
  await sql`select pg_advisory_unlock(${indexingLock})`.execute(session)
}

export async function createExtension(db: Database): Promise<void> {
  await sql`create extension if not exists vector`.execute(db)
}

export async function dropNearestIndex(db: Database): Promise<void> {
  await sql`drop index concurrently signatures_nearest`.execute(db)
}

/** Beside whoever writes: a million signatures take some minutes. */
export async function createNearestIndex(db: Database): Promise<void> {
  await sql`
    create index concurrently if not exists signatures_nearest on signatures using hnsw (bits bit_hamming_ops)
  `.execute(db)
}

/**
 * A function, for it carries its settings: how widely the index is searched would otherwise have to be set in a
 * transaction around each search. The signatures of another model are passed over while there are any.
 */
export async function createNearestFunction(db: Database): Promise<void> {
  await sql`
    create or replace function nearest_signatures(model smallint, sought bit)
    returns table (record_id uuid, distance bigint) language sql stable
    set hnsw.ef_search = ${sql.lit(nearestSearched)} set hnsw.iterative_scan = strict_order
    as ${sql.lit(`
      select s.record_id, bit_count(s.bits # sought) from signatures as s
      where s.model_id = model
      order by s.bits <~> sought
      limit ${nearestSearched}
    `)}
  `.execute(db)
}
