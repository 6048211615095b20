import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { selectPages } from '../../db/fragments/table-size.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { EncodedVector } from '../vectors/decoded-vectors.ts'
import { type PackedVectors, unpackVectors } from '../vectors/packed-vectors.ts'

/** How many of the nearest signatures the index of pgvector returns. */
export const nearestIndexed = 1_000

export type VectorSearch = {
  modelId: number
  /** In the text form of `bit(1024)`. */
  signature: string
  /** Conditions on `records as r` that hold before anything is cut off. */
  conditions: Conditions
  limit: number
}

/** One value: a driver needs several times as long for some hundred rows. The join may follow any order. */
const packed = sql`string_agg(
  uuid_send(e.record_id) || int2send(e.bits) || int4send(octet_length(e.code)) || e.code, ''::bytea
  order by met.distance, e.record_id
)`

/**
 * Takes the nearest vectors of the index, and returns those whose records meet the conditions. Only these records are
 * read, and not every record of the store.
 */
export async function findAmongIndexed(db: Database, search: VectorSearch): Promise<EncodedVector[]> {
  const { modelId, signature, conditions, limit } = search
  const { rows } = await sql<PackedVectors>`
    with near as materialized (
      select record_id, distance from nearest_signatures(${modelId}::smallint, ${signature}::bit(1024))
    ), met as (
      select near.record_id, near.distance from near cross join lateral (
        select from records as r where r.id = near.record_id and ${joinConditions(conditions)} offset 0
      ) as r
      order by near.distance, near.record_id
      limit ${sql.lit(limit)}
    )
    select ${packed} as vectors
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
  `.execute(db)
  return unpackVectors(rows[0]?.vectors)
}

/** `examined`: how many of the nearest signatures are examined at most, to find enough that meet the conditions. */
type CellSearch = { cells: readonly number[]; examined: number }
/** `sets` are the sets of cells at the time of the statement. */
type CellResult = { found: EncodedVector[]; sets: readonly number[] }

/**
 * Takes the nearest vectors of some cells, one after the other, until enough of their records meet the conditions.
 * The order of the outer query is that of the inner one, so that nothing is sorted again and no further record is
 * read.
 * The planner does not see the list of cells, so it keeps one plan and does not plan the statement again for each
 * question.
 */
export async function findInCells(
  db: Database,
  search: VectorSearch,
  { cells, examined }: CellSearch,
): Promise<CellResult> {
  const { modelId, signature, conditions, limit } = search
  const { rows } = await sql<PackedVectors & { sets: number[] }>`
    with met as materialized (
      select near.record_id, near.distance from (
        select s.record_id, bit_count(s.bits # ${signature}::bit(1024)) as distance
        from signatures as s
        where s.model_id = ${modelId} and s.cell = any(array(select unnest(${cells}::int4[])))
        order by distance, s.record_id
        limit ${sql.lit(examined)}
      ) as near cross join lateral (
        select from records as r where r.id = near.record_id and ${joinConditions(conditions)} offset 0
      ) as r
      order by near.distance, near.record_id
      limit ${sql.lit(limit)}
    )
    select ${packed} as vectors,
      array(select c.id from vector_cells as c where c.model_id = ${modelId} order by c.id) as sets
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
  `.execute(db)
  return { found: unpackVectors(rows[0]?.vectors), sets: rows[0]?.sets ?? [] }
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
export async function findNearestFiltered(tx: Transaction, search: VectorSearch): Promise<EncodedVector[]> {
  const { modelId, signature, conditions, limit } = search
  // Kept apart from `order by` and `limit`: otherwise the planner sorts every signature first and then checks one
  // record after the other until it has enough.
  const { rows } = await sql<PackedVectors>`
    with met as materialized (
      select record_id, distance from (
        select s.record_id, bit_count(s.bits # ${signature}::bit(1024)) as distance
        from records as r join signatures as s on s.record_id = r.id and s.model_id = ${modelId}
        where ${joinConditions(conditions)} offset 0
      ) as met
      order by distance, record_id
      limit ${sql.lit(limit)}
    )
    select ${packed} as vectors
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
  `.execute(tx)
  return unpackVectors(rows[0]?.vectors)
}

/** Reads two partial indexes, which together contain every record that is not forgotten. */
const selectRecordsInScopes = (scopes: readonly string[]) => {
  const selectLive = (rank: RawBuilder<unknown>) => sql`
    select id from records
    where scope = any(${scopes}::text[]) and forgotten_at is null and decay_rank ${rank}`
  return sql`${selectLive(sql`is not null`)} union all ${selectLive(sql`is null`)}`
}

/** Counts the live records of scopes, up to `most`. */
export async function countInScopes(db: Database, scopes: readonly string[], most: number): Promise<number> {
  const { rows } = await sql<{ inside: number }>`
    select count(*) as inside from (${selectRecordsInScopes(scopes)} limit ${sql.lit(most)}) as inside
  `.execute(db)
  return rows[0]?.inside ?? 0
}

/** Finds the nearest vectors inside a few scopes that meet the conditions. */
export async function findNearestInScopes(
  db: Database,
  search: VectorSearch,
  scopes: readonly string[],
): Promise<EncodedVector[]> {
  const { modelId, signature, conditions, limit } = search
  const { rows } = await sql<PackedVectors>`
    with inside as materialized (${selectRecordsInScopes(scopes)}), met as materialized (
      select inside.id, bit_count(s.bits # ${signature}::bit(1024)) as distance
      from inside cross join lateral (
        select bits from signatures where record_id = inside.id and model_id = ${modelId} offset 0
      ) as s cross join lateral (
        select from records as r where r.id = inside.id and ${joinConditions(conditions)} offset 0
      ) as r
      order by distance, inside.id
      limit ${sql.lit(limit)}
    )
    select ${packed} as vectors
    from met join embeddings as e on e.record_id = met.id and e.model_id = ${modelId}
  `.execute(db)
  return unpackVectors(rows[0]?.vectors)
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
    with inside as materialized (${selectRecordsInScopes([scope])})
    select string_agg(uuid_send(r.id) || bit_send(s.bits), ''::bytea) as packed
    from inside
    join records as r on r.id = inside.id
    join signatures as s on s.record_id = r.id and s.model_id = ${modelId}
    where ${joinConditions(conditions)}
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
    select e.record_id as id, e.bits, e.code from embeddings as e
    where e.record_id = any(${ids}::uuid[]) and e.model_id = ${modelId}
  `.execute(db)
  return rows
}

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

/** The size of a row with its signature. */
const bytesEach = 188

/** Returns the number of signatures by the size of the table, and whether pgvector has an index of them. */
export async function measureSignatures(db: Database): Promise<{ signatures: number; isIndexed: boolean }> {
  const { rows } = await sql<{ signatures: number; isIndexed: boolean }>`
    select (${selectPages('signatures')} * current_setting('block_size')::bigint / ${sql.lit(bytesEach)})::int as signatures, exists (
      select from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass and c.relname = 'signatures_nearest' and i.indisvalid
    ) and to_regproc('nearest_signatures') is not null as "isIndexed"
  `.execute(db)
  return rows[0] ?? { signatures: 0, isIndexed: false }
}
