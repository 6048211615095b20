import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { signatureIndexKey } from '../../db/fragments/lock-keys.ts'
import { nearestIndexed } from './vector-search.queries.ts'

export type Extension = { available: string | null; installed: string | null; hasBrokenIndex: boolean }

/**
 * Reads which version of pgvector is available and installed, and whether an interrupted build left an invalid index.
 */
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

/** Returns false when another session holds the lock: waiting would block the index that it builds. */
export async function tryLockIndexing(session: Database): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_lock(${signatureIndexKey}) as taken,
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)
  `.execute(session)
  return rows[0]?.taken ?? false
}

export async function unlockIndexing(session: Database): Promise<void> {
  await sql`select pg_advisory_unlock(${signatureIndexKey})`.execute(session)
}

export async function createExtension(db: Database): Promise<void> {
  await sql`create extension if not exists vector`.execute(db)
}

export async function dropNearestIndex(db: Database): Promise<void> {
  await sql`drop index concurrently signatures_nearest`.execute(db)
}

/** Builds the index without blocking writers. A million signatures take some minutes. */
export async function createNearestIndex(db: Database): Promise<void> {
  await sql`
    create index concurrently if not exists signatures_nearest on signatures using hnsw (bits bit_hamming_ops)
  `.execute(db)
}

/**
 * A function, because it carries its settings: otherwise each search would need a transaction to set how widely the
 * index is searched. Signatures of another model are skipped.
 */
export async function createNearestFunction(db: Database): Promise<void> {
  await sql`
    create or replace function nearest_signatures(model smallint, sought bit)
    returns table (record_id uuid, distance bigint) language sql stable
    set hnsw.ef_search = ${sql.lit(nearestIndexed)} set hnsw.iterative_scan = strict_order
    as ${sql.lit(`
      select s.record_id, bit_count(s.bits # sought) from signatures as s
      where s.model_id = model
      order by s.bits <~> sought
      limit ${nearestIndexed}
    `)}
  `.execute(db)
}
