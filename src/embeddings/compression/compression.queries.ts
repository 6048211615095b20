import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Precision } from '../../domain/vectors/vector-codes.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { computeRetentionAt, type RetentionSettings } from '../../lifecycle/index.ts'

/** Where a batch starts: after the last vector of the previous batch. */
export type VectorPosition = { record_id: string; model_id: number }
export const firstPosition: VectorPosition = {
  record_id: nilUuid,
  model_id: 0,
}

type Portion = { after: VectorPosition; limit: number; scope: string | null; now: Date }

export async function countVectors(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from embeddings`.execute(db)
  return rows[0]?.count ?? 0
}

/** Finds the end of the next range of vectors and their number; undefined when no vector is left. */
export async function findRangeEnd(
  tx: Transaction,
  { after: { record_id: id, model_id: model }, limit }: Pick<Portion, 'after' | 'limit'>,
): Promise<(VectorPosition & { count: number }) | undefined> {
  const { rows } = await sql<VectorPosition & { count: number }>`
    select record_id, model_id, (row_number() over (order by record_id, model_id))::int as count
    from (
      select record_id, model_id from embeddings
      where (record_id, model_id) > (${id}::uuid, ${model}::smallint)
      order by record_id, model_id
      limit ${limit}
    ) as next
    order by count desc
    limit 1
  `.execute(tx)
  return rows[0]
}

type VectorRange = Omit<Portion, 'limit'> & { until: VectorPosition; settings: RetentionSettings }

export type CompressibleVector = VectorPosition & {
  bits: Precision
  code: Buffer
  dimensions: number
  target: Precision
}

/**
 * Finds and locks the vectors of a range that have more bits than the retention of their records justifies.
 */
export async function claimCompressible(tx: Transaction, range: VectorRange): Promise<CompressibleVector[]> {
  const { rows } = await sql<CompressibleVector>`
    select e.record_id, e.model_id, e.bits, e.code, m.dimensions, worth.bits as target
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
    join records as r on r.id = e.record_id
    cross join lateral (select ${chooseTargetBits(range)} as bits) as worth
    where ${isWithin(range)} and worth.bits < e.bits
    order by e.record_id, e.model_id
    for update of e skip locked
  `.execute(tx)
  return rows
}

export async function writeCompressed(
  tx: Transaction,
  compressed: readonly (VectorPosition & { bits: Precision; code: Buffer })[],
): Promise<void> {
  await sql`
    update embeddings as e set bits = compressed_vectors.bits, code = compressed_vectors.code
    from unnest(
      ${compressed.map(({ record_id: id }) => id)}::uuid[], ${compressed.map(({ model_id: id }) => id)}::smallint[],
      ${compressed.map(({ bits }) => bits)}::smallint[], ${compressed.map(({ code }) => code)}::bytea[]
    ) as compressed_vectors (record_id, model_id, bits, code)
    where e.record_id = compressed_vectors.record_id and e.model_id = compressed_vectors.model_id
  `.execute(tx)
}

/**
 * Queues records whose retention justifies more bits than their vector has: they are embedded again from their text.
 */
export async function queueTooCoarse(tx: Transaction, range: VectorRange): Promise<number> {
  const { now } = range
  const { rows } = await sql`
    insert into unembedded (record_id, asked_at, due_at)
    select distinct e.record_id, ${now}::timestamptz, ${now}::timestamptz
    from embeddings as e
    join embedding_models as m on m.id = e.model_id and m.embeds
    join records as r on r.id = e.record_id
    where ${isWithin(range)} and e.bits < 32 and ${chooseTargetBits(range)} > e.bits
    order by 1
    on conflict (record_id) do nothing
    returning record_id
  `.execute(tx)
  return rows.length
}

/**
 * Pinned records keep their vectors. Forgotten records are not worth the work, and a restore gets them back
 * unchanged.
 */
function isWithin({ after, until, scope }: VectorRange): RawBuilder<unknown> {
  return sql`(e.record_id, e.model_id) > (${after.record_id}::uuid, ${after.model_id}::smallint)
    and (e.record_id, e.model_id) <= (${until.record_id}::uuid, ${until.model_id}::smallint)
    and not r.pinned and r.forgotten_at is null ${restrictToScope(scope)}`
}

/** The bits that a vector keeps: those of the first level whose limit the retention of its record exceeds. */
const precisionLevels: readonly { above: number; bits: Precision }[] = [
  { above: 0.8, bits: 32 },
  { above: 0.5, bits: 8 },
  { above: 0.2, bits: 4 },
]
const minBits: Precision = 2

/** The bits that a retention justifies, as SQL. */
export function chooseBits(retention: RawBuilder<unknown>): RawBuilder<Precision> {
  return sql<Precision>`case ${sql.join(
    precisionLevels.map(({ above, bits }) => sql`when ${retention} > ${above}::float8 then ${sql.lit(bits)}`),
    sql` `,
  )} else ${sql.lit(minBits)} end`
}

/** The number of bits that the retention of `r` justifies. */
function chooseTargetBits({ now, settings }: VectorRange): RawBuilder<unknown> {
  return sql`(select ${chooseBits(sql`kept.retention`)}
    from (select ${computeRetentionAt(now, settings)} as retention) as kept)`
}
