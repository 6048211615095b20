import { sql } from 'kysely'
import type { Transaction } from '../../../db/transaction.ts'
import { nilUuid } from '../../../kernel/ids.ts'

export type ImportedVector = {
  id: string
  provider: string
  model: string
  dimensions: number
  bits: number
  embedded_at: string
  /** Base64. */
  code: string
  signature: string
}

/**
 * Registers the models of the imported vectors in a store that has no model yet. A worker configured with one of them
 * continues with its vectors and deletes those of the others.
 */
export async function registerModels(
  tx: Transaction,
  vectors: readonly ImportedVector[],
  now: Date,
): Promise<void> {
  await sql`
    insert into embedding_models (provider, model, dimensions, registered_at, seen_at, max_sensitivity, walked_to)
    select distinct provider, model, dimensions, ${now}::timestamptz, ${now}::timestamptz, 'hyper'::sensitivity,
      ${sql.lit(nilUuid)}::uuid
    from json_to_recordset(${JSON.stringify(vectors)}::json) as given (provider text, model text, dimensions int4)
    where not exists (select from embedding_models)
    on conflict do nothing
  `.execute(tx)
}

/**
 * Stores vectors whose model is registered here. A record with a vector of the current model is not embedded again; a
 * record without a comparison is listed to be compared.
 */
export async function insertVectors(tx: Transaction, vectors: readonly ImportedVector[]): Promise<void> {
  await sql`
    with given as materialized (
      select g.id as record_id, m.id as model_id, g.bits, g.embedded_at, decode(g.code, 'base64') as code,
        ('x' || encode(decode(g.signature, 'base64'), 'hex'))::bit(1024) as signature,
        m.embeds or not exists (select from embedding_models where embeds) as is_current
      from json_to_recordset(${JSON.stringify(vectors)}::json) as g (
        id uuid, provider text, model text, dimensions int4, bits int2, embedded_at timestamptz, code text, signature text
      )
      join embedding_models as m on m.provider = g.provider and m.model = g.model and m.dimensions = g.dimensions
    ), stored as (
      insert into embeddings (record_id, model_id, bits, embedded_at, code)
      select record_id, model_id, bits, embedded_at, code from given
      on conflict do nothing
    ), signed as (
      insert into signatures (record_id, model_id, bits)
      select record_id, model_id, signature from given
      on conflict do nothing
    ), unlisted as (
      delete from unembedded where record_id in (select record_id from given where is_current)
    )
    insert into unsurprised (record_id, created_at, asked_at)
    select distinct r.id, r.created_at, r.updated_at
    from given as g join records as r on r.id = g.record_id
    where g.is_current and not exists (select from surprises as s where s.record_id = r.id)
    on conflict do nothing
  `.execute(tx)
}
