import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { cellSetsKey } from '../../db/fragments/lock-keys.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Precision } from '../../domain/vectors/vector-codes.ts'
import { type CellSet, cellsPerSet, encodeCentroids } from './cells.ts'

export async function listCellSets(db: Database, modelId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('vector_cells')
    .where('model_id', '=', modelId)
    .select('id')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export type CellSetRow = { id: number; members: number[]; centroids: Buffer; dimensions: number }

export async function findCellSets(db: Database, ids: readonly number[]): Promise<CellSetRow[]> {
  const { rows } = await sql<CellSetRow>`
    select c.id, c.members, c.centroids, m.dimensions
    from vector_cells as c join embedding_models as m on m.id = c.model_id
    where c.id = any(${ids}::int4[])
    order by c.id
  `.execute(db)
  return rows
}

export type CelledModel = {
  id: number
  dimensions: number
  /** The newest set; null when there is none. */
  set_id: number | null
  /** The number of vectors when that set was learnt. */
  vectors: number | null
  sets: number
  is_unassigned: boolean
}

/**
 * Returns the models in use with their newest set of cells, and whether vectors wait to be assigned to that set. Vectors that could
 * not be assigned do not count.
 */
export async function findCelledModels(db: Database, failed: readonly string[]): Promise<CelledModel[]> {
  const { rows } = await sql<CelledModel>`
    select m.id, m.dimensions, c.id as set_id, c.vectors,
      (select count(*) from vector_cells as v where v.model_id = m.id)::int as sets,
      exists (
        select from signatures as s where s.model_id = m.id and s.cell < c.id * ${sql.lit(cellsPerSet)}
          and s.record_id <> all(${failed}::uuid[])
      ) as is_unassigned
    from embedding_models as m
    left join lateral (
      select v.id, v.vectors from vector_cells as v where v.model_id = m.id order by v.id desc limit 1
    ) as c on true
    where m.serves or m.embeds
    order by m.id
  `.execute(db)
  return rows
}

export async function countSignatures(db: Database, modelId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from signatures where model_id = ${modelId}
  `.execute(db)
  return rows[0]?.count ?? 0
}

export type SampledVector = { bits: Precision; code: Buffer }

/** Reads the vectors on random pages of the table. */
export async function sampleVectors(
  db: Database,
  { modelId, percent, limit }: { modelId: number; percent: number; limit: number },
): Promise<SampledVector[]> {
  const { rows } = await sql<SampledVector>`
    select bits, code from embeddings tablesample system (${percent}::float4)
    where model_id = ${modelId}
    limit ${limit}
  `.execute(db)
  return rows
}

/** Serialises the changes of sets, and returns the newest one. */
export async function lockCellSets(tx: Transaction, modelId: number): Promise<number | null> {
  await sql`select pg_advisory_xact_lock(${cellSetsKey})`.execute(tx)
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from vector_cells where model_id = ${modelId}
  `.execute(tx)
  return rows[0]?.id ?? null
}

export async function insertCellSet(
  tx: Transaction,
  set: Omit<CellSet, 'id' | 'dimensions'> & { modelId: number; vectors: number },
): Promise<void> {
  await sql`
    insert into vector_cells (model_id, vectors, members, centroids)
    values (${set.modelId}, ${set.vectors}, ${set.members}::int4[], ${encodeCentroids(set.centroids)})
  `.execute(tx)
}

type Walk = { modelId: number; setId: number; after: string; limit: number }

/** Returns the last record of the next signatures of a model; undefined when none is left. */
export async function findWalkEnd(db: Database, walk: Omit<Walk, 'setId'>): Promise<string | undefined> {
  const { rows } = await sql<{ record_id: string }>`
    select record_id from (
      select record_id from signatures where record_id > ${walk.after}::uuid and model_id = ${walk.modelId}
      order by record_id limit ${walk.limit}
    ) as next
    order by record_id desc limit 1
  `.execute(db)
  return rows[0]?.record_id
}

export type UnassignedVector = { record_id: string } & SampledVector

/** Locks the vectors of a range that do not belong to the set. Locked ones are being replaced or deleted. */
export async function claimUnassigned(
  tx: Transaction,
  { modelId, setId, after, until }: Omit<Walk, 'limit'> & { until: string },
): Promise<UnassignedVector[]> {
  const { rows } = await sql<UnassignedVector>`
    select s.record_id, e.bits, e.code
    from signatures as s join embeddings as e on e.record_id = s.record_id and e.model_id = s.model_id
    where s.record_id > ${after}::uuid and s.record_id <= ${until}::uuid and s.model_id = ${modelId}
      and s.cell < ${setId * cellsPerSet}
    order by s.record_id
    for no key update of s skip locked for share of e skip locked
  `.execute(tx)
  return rows
}

export async function writeCells(
  tx: Transaction,
  modelId: number,
  assigned: readonly { id: string; cell: number }[],
): Promise<void> {
  await sql`
    update signatures as s set cell = assigned.cell
    from unnest(
      ${assigned.map(({ id }) => id)}::uuid[], ${assigned.map(({ cell }) => cell)}::int4[]
    ) as assigned (record_id, cell)
    where s.record_id = assigned.record_id and s.model_id = ${modelId}
  `.execute(tx)
}

/** Locks the sets before the newest one. Waits for writers that are storing a vector in them. */
export async function lockOlderSets(tx: Transaction, modelId: number, setId: number): Promise<void> {
  await sql`
    select from vector_cells where model_id = ${modelId} and id < ${setId} order by id for update
  `.execute(tx)
}

/** Deletes the older sets once no vector belongs to them. */
export async function deleteEmptySets(tx: Transaction, modelId: number, setId: number): Promise<void> {
  await sql`
    delete from vector_cells as c
    where c.model_id = ${modelId} and c.id < ${setId} and not exists (
      select from signatures as s
      where s.model_id = ${modelId} and s.cell >= c.id * ${sql.lit(cellsPerSet)}
        and s.cell < (c.id + 1) * ${sql.lit(cellsPerSet)}
    )
  `.execute(tx)
}

/** Deletes the sets of models that are no longer in use and have no vectors. */
export async function deleteRetiredSets(tx: Transaction): Promise<void> {
  await sql`
    delete from vector_cells as c using embedding_models as m
    where m.id = c.model_id and not m.serves and not m.embeds
      and not exists (select from signatures as s where s.model_id = m.id)
  `.execute(tx)
}
