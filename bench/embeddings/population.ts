import type { Embedding } from '../../src/domain/vectors/similarity.ts'
import { encode } from '../../src/domain/vectors/vector-codes.ts'
import { computeSignature } from '../../src/embeddings/vectors/signature.ts'
import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'
import { populate } from '../records/population.ts'
import type { Space } from './spaces.ts'

export type Store = { model: { id: number; dimensions: number }; vectors: readonly Embedding[] }

const portion = 5_000

const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** Inserts records with a vector each, the same ones in every run; the first vector is that of record 1. */
export async function populateVectors(database: BenchDatabase, space: Space, size: number): Promise<Store> {
  await populate(database, 1, size)
  const { pool } = database
  const { dimensions } = space
  const { rows } = await pool.query<{ id: number }>(
    `insert into embedding_models
       (provider, model, dimensions, registered_at, seen_at, max_sensitivity, serves, embeds)
     values ('hash', 'bench', $1, now(), now(), 'hyper', true, true) returning id`,
    [dimensions],
  )
  const id = rows[0]?.id
  assert(id !== undefined, 'a model is there')
  const vectors = Array.from({ length: size }, space.draw)
  for (let from = 0; from < size; from += portion) {
    await store(database, id, from + 1, vectors.slice(from, from + portion))
  }
  await pool.query('vacuum (analyze) embeddings, signatures')
  return { model: { id, dimensions }, vectors }
}

async function store({ pool }: BenchDatabase, modelId: number, first: number, some: readonly Embedding[]) {
  await pool.query(
    `with given as materialized (
       select * from unnest($2::uuid[], $3::bytea[], $4::text[]) as given (record_id, code, signature)
     ), stored as (
       insert into embeddings (record_id, model_id, bits, embedded_at, code)
       select record_id, $1::smallint, 32, now(), code from given
     )
     insert into signatures (record_id, model_id, bits)
     select record_id, $1::smallint, ('x' || signature)::bit(1024) from given`,
    [
      modelId,
      some.map((_, index) => idOf(first + index)),
      some.map((vector) => encode(vector, 32)),
      some.map((vector) => computeSignature(vector).toString('hex')),
    ],
  )
}
