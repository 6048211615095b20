import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Precision } from '../codes.ts'
import { nearestSought } from '../nearness.ts'

export type Coded = { id: string; bits: Precision; code: Buffer }

export type Sought = {
  modelId: number
  /** As PostgreSQL reads a `bit(1024)`. */
  signature: string
  /** On `records as r`: whatever is to be met before anything is cut. */
  conditions: readonly RawBuilder<SqlBool>[]
  limit: number
}

type Near = { found: Coded[]; isEnough: boolean }

const allOf = (conditions: readonly RawBuilder<SqlBool>[]) =>
  conditions.length === 0 ? sql`true` : sql`${sql.join([...conditions], sql` and `)}`

/**
 * The nearest under some conditions, sought among the nearest of all: the records of these few are looked up, where
 * asking each first would read them all. Whether that was enough is answered with them: among too few, one that is
 * farther off may be missing.
 */
export async function findAmongNearest(
  db: Database,
  { modelId, signature, conditions, limit }: Sought,
  isIndexed: boolean,
): Promise<Near> {
  const nearest = isIndexed
    ? sql`select record_id, distance from nearest_signatures(${modelId}::smallint, ${signature}::bit(1024))`
    : sql`
      select record_id, bit_count(bits # ${signature}::bit(1024)) as distance from signatures
      where model_id = ${modelId}
      order by distance, record_id limit ${sql.lit(nearestSought)}`
  const { rows } = await sql<Coded & { sought: number }>`
    with near as materialized (${nearest}), met as (
      select near.record_id, near.distance from near cross join lateral (
        select from records as r where r.id = near.record_id and ${allOf(conditions)} offset 0
      ) as r
      order by near.distance, near.record_id
      limit ${sql.lit(limit)}
    )
    select e.record_id as id, e.bits, e.code, (select count(*) from near) as sought
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
    order by met.distance, met.record_id
  `.execute(db)
  const sought = rows[0]?.sought ?? nearestSought
  return { found: rows.map(coded), isEnough: rows.length >= limit || sought < nearestSought }
}

/** The nearest under some conditions, of which each is asked. */
export async function findNearestOfAll(
  db: Database,
  { modelId, signature, conditions, limit }: Sought,
): Promise<Coded[]> {
  const { rows } = await sql<Coded>`
    with met as materialized (
      select s.record_id, bit_count(s.bits # ${signature}::bit(1024)) as distance
      from records as r join signatures as s on s.record_id = r.id and s.model_id = ${modelId}
      where ${allOf(conditions)}
      order by distance, s.record_id
      limit ${sql.lit(limit)}
    )
    select e.record_id as id, e.bits, e.code
    from met join embeddings as e on e.record_id = met.record_id and e.model_id = ${modelId}
    order by met.distance, met.record_id
  `.execute(db)
  return rows.map(coded)
}

const coded = ({ id, bits, code }: Coded): Coded => ({ id, bits, code })

/** The vector of a record. */
export async function findCode(db: Database, modelId: number, id: string): Promise<Coded | undefined> {
  const { rows } = await sql<Coded>`
    select record_id as id, bits, code from embeddings where record_id = ${id}::uuid and model_id = ${modelId}
  `.execute(db)
  return rows[0]
}

/** About how many signatures a search without an index passes over, and whether there is one. */
export async function measureSignatures(db: Database): Promise<{ bytes: number; isIndexed: boolean }> {
  const { rows } = await sql<{ bytes: number; isIndexed: boolean }>`
    select pg_relation_size('signatures') as bytes, exists (
      select from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass and c.relname = 'signatures_nearest' and i.indisvalid
    ) and to_regproc('nearest_signatures') is not null as "isIndexed"
  `.execute(db)
  return rows[0] ?? { bytes: 0, isIndexed: false }
}
