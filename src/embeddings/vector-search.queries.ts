import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Precision } from '../domain/vector-codes.ts'

/**
 * How many of the nearest signatures are examined. Two in five may be filtered out before a wider search is needed.
 */
export const nearestSearched = 1_000

export type EncodedVector = { id: string; bits: Precision; code: Buffer }

export type VectorSearch = {
  modelId: number
  /** In the text form of `bit(1024)`. */
  signature: string
  /** Conditions on `records as r` that hold before anything is cut off. */
  conditions: readonly RawBuilder<SqlBool>[]
  limit: number
}

type NearestResult = { found: EncodedVector[]; isEnough: boolean }

const allOf = (conditions: readonly RawBuilder<SqlBool>[]) =>
  conditions.length === 0 ? sql`true` : sql`${sql.join([...conditions], sql` and `)}`

/**
 * Takes the nearest vectors of all, and returns those whose records meet the conditions. Only these records are read,
 * and not every record of the store. `isEnough` is false when a record that is farther away may be missing. An index
 * may return fewer entries than requested although there are more.
 */
export async function findAmongNearest(
  db: Database,
  { modelId, signature, conditions, limit }: VectorSearch,
  isIndexed: boolean,
): Promise<NearestResult> {
  const nearest = isIndexed
    ? sql`select record_id, distance from nearest_signatures(${modelId}::smallint, ${signature}::bit(1024))`
    : sql`
      select record_id, bit_count(bits # ${signature}::bit(1024)) as distance from signatures
      where model_id = ${modelId}
      order by distance, record_id limit ${sql.lit(nearestSearched)}`
  const { rows } = await sql<EncodedVector & { examined: number }>`
    with near as materialized (${nearest}), met as (
      select near.record_id, near.distance from near cross join lateral (
        select from records as r where r.id = near.record_id and ${allOf(conditions)} offset 0
      ) as r
      order by near.distance, near.record_id
      limit ${sql.lit(limit)}
    )
    select e.record_id as id, e.bits, e.code, (select count(*) from near) as examined
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
    order by met.distance, met.record_id
  `.execute(db)
  const examined = isIndexed ? nearestSearched : (rows[0]?.examined ?? nearestSearched)
  return { found: rows.map(toEncodedVector), isEnough: rows.length >= limit || examined < nearestSearched }
}

/**
 * Prepares the transaction for a statement that reads a whole table: 100,000 distances are sorted without a temporary
 * file.
 */
export async function prepareLargeScan(tx: Transaction): Promise<void> {
  await sql`
    select set_config('work_mem', '32MB', true), set_config('plan_cache_mode', 'force_custom_plan', true)
  `.execute(tx)
}

/** Finds the nearest vectors and checks the conditions on every record. */
export async function findNearestFiltered(
  tx: Transaction,
  { modelId, signature, conditions, limit }: VectorSearch,
): Promise<EncodedVector[]> {
  // Kept apart from `order by` and `limit`: otherwise the planner sorts every signature first and then checks one
  // record after the other until it has enough.
  const { rows } = await sql<EncodedVector>`
    with met as materialized (
      select record_id, distance from (
        select s.record_id, bit_count(s.bits # ${signature}::bit(1024)) as distance
        from records as r join signatures as s on s.record_id = r.id and s.model_id = ${modelId}
        where ${allOf(conditions)} offset 0
      ) as met
      order by distance, record_id
      limit ${sql.lit(limit)}
    )
    select e.record_id as id, e.bits, e.code
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
    order by met.distance, met.record_id
  `.execute(tx)
  return rows.map(toEncodedVector)
}

/** Reads two partial indexes, which together contain every record that is not forgotten. */
const recordsInScopes = (scopes: readonly string[]) => {
  const live = (rank: RawBuilder<unknown>) => sql`
    select id from records
    where scope = any(${sql.val([...scopes])}::text[]) and forgotten_at is null and decay_rank ${rank}`
  return sql`${live(sql`is not null`)} union all ${live(sql`is null`)}`
}

/** Counts the live records of scopes, up to `most`. */
export async function countInScopes(db: Database, scopes: readonly string[], most: number): Promise<number> {
  const { rows } = await sql<{ inside: number }>`
    select count(*) as inside from (${recordsInScopes(scopes)} limit ${sql.lit(most)}) as inside
  `.execute(db)
  return rows[0]?.inside ?? 0
}

/** Finds the nearest vectors inside a few scopes that meet the conditions. */
export async function findNearestInScopes(
  db: Database,
  { modelId, signature, conditions, limit }: VectorSearch,
  scopes: readonly string[],
): Promise<EncodedVector[]> {
  const { rows } = await sql<EncodedVector>`
    with inside as materialized (${recordsInScopes(scopes)}), met as materialized (
      select inside.id, bit_count(s.bits # ${signature}::bit(1024)) as distance
      from inside cross join lateral (
        select bits from signatures where record_id = inside.id and model_id = ${modelId} offset 0
      ) as s cross join lateral (
        select from records as r where r.id = inside.id and ${allOf(conditions)} offset 0
      ) as r
      order by distance, inside.id
      limit ${sql.lit(limit)}
    )
    select e.record_id as id, e.bits, e.code
    from met join embeddings as e on e.record_id = met.id and e.model_id = ${modelId}
    order by met.distance, met.id
  `.execute(db)
  return rows.map(toEncodedVector)
}

/**
 * Reads the signatures of all records of one scope that meet the conditions: 16 bytes of id and 132 of signature
 * each, as PostgreSQL sends them. All in one value, because one row each takes four times as long to send and read.
 */
export async function readSignatures(
  db: Database,
  { modelId, conditions, scope }: Pick<VectorSearch, 'modelId' | 'conditions'> & { scope: string },
): Promise<Buffer> {
  const { rows } = await sql<{ packed: Buffer | null }>`
    with inside as materialized (${recordsInScopes([scope])})
    select string_agg(uuid_send(r.id) || bit_send(s.bits), ''::bytea) as packed
    from inside
    join records as r on r.id = inside.id
    join signatures as s on s.record_id = r.id and s.model_id = ${modelId}
    where ${allOf(conditions)}
  `.execute(db)
  return rows[0]?.packed ?? Buffer.alloc(0)
}

/** Returns the vectors of the records that have one. */
export async function findCodes(
  db: Database,
  modelId: number,
  ids: readonly string[],
): Promise<EncodedVector[]> {
  const { rows } = await sql<EncodedVector>`
    select record_id as id, bits, code from embeddings
    where record_id = any(${sql.val([...ids])}::uuid[]) and model_id = ${modelId}
  `.execute(db)
  return rows
}

const toEncodedVector = ({ id, bits, code }: EncodedVector): EncodedVector => ({ id, bits, code })

/** Returns the vector of a record. */
export async function findCode(
  db: Database,
  modelId: number,
  id: string,
): Promise<EncodedVector | undefined> {
  const { rows } = await sql<EncodedVector>`
    select record_id as id, bits, code from embeddings where record_id = ${id}::uuid and model_id = ${modelId}
  `.execute(db)
  return rows[0]
}

/** Returns the size of all signatures and whether they are indexed. */
export async function measureSignatures(db: Database): Promise<{ bytes: number; isIndexed: boolean }> {
  const { rows } = await sql<{ bytes: number; isIndexed: boolean }>`
    select pg_relation_size('signatures') as bytes, exists (
      select from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass and c.relname = 'signatures_nearest' and i.indisvalid
    ) and to_regproc('nearest_signatures') is not null as "isIndexed"
  `.execute(db)
  return rows[0] ?? { bytes: 0, isIndexed: false }
}
