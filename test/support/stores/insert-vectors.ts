import type { Insertable } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import type { EmbeddingModels } from '../../../src/db/schema.ts'
import type { Embedding } from '../../../src/domain/vectors/similarity.ts'
import { encode, type Precision } from '../../../src/domain/vectors/vector-codes.ts'
import { computeSignature, formatSignature } from '../../../src/embeddings/vectors/signature.ts'

export type InsertedVector = { id: string; vector: Embedding; bits?: Precision }

type ModelOptions = Partial<
  Pick<Insertable<EmbeddingModels>, 'provider' | 'model' | 'max_sensitivity' | 'serves'>
>

/** Inserts an embedding model, in service by default, and returns its id. */
export async function insertEmbeddingModel(
  db: Database,
  dimensions: number,
  { serves = true, ...more }: ModelOptions = {},
): Promise<number> {
  const at = new Date('2026-01-01')
  const { id } = await db
    .insertInto('embedding_models')
    .values({
      provider: 'hash',
      model: 'hash-v1',
      dimensions,
      serves,
      embeds: serves,
      registered_at: at,
      seen_at: at,
      walked_to: null,
      max_sensitivity: 'hyper',
      ...more,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Inserts vectors of records with their signatures. */
export async function insertVectors(
  db: Database,
  modelId: number,
  placed: readonly InsertedVector[],
): Promise<void> {
  const at = new Date('2026-01-01')
  for (let from = 0; from < placed.length; from += 1_000) {
    const some = placed.slice(from, from + 1_000)
    await db
      .insertInto('embeddings')
      .values(
        some.map(({ id, vector, bits = 32 }) => ({
          model_id: modelId,
          record_id: id,
          bits,
          code: encode(vector, bits),
          embedded_at: at,
        })),
      )
      .execute()
    await db
      .insertInto('signatures')
      .values(
        some.map(({ id, vector }) => ({
          model_id: modelId,
          record_id: id,
          bits: formatSignature(computeSignature(vector)),
        })),
      )
      .execute()
  }
}
