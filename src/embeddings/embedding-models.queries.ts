import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { EmbeddingModels } from '../db/schema.ts'
import type { Transaction } from '../db/transaction.ts'
import { nilUuid } from '../kernel/ids.ts'

export type ModelRow = Selectable<EmbeddingModels>

/** The model that a worker is configured with. No other model takes its place while such a worker runs. */
export type ConfiguredModel = Pick<ModelRow, 'provider' | 'model' | 'dimensions' | 'max_sensitivity'>

/** A worker that reports. Other workers count as gone when they have not reported for this long. */
export type Presence = { worker: string; now: Date; absentMs: number }

/** Returns the model whose vectors are searched. */
export async function findServingModel(db: Database): Promise<ModelRow | undefined> {
  return db.selectFrom('embedding_models').where('serves', '=', true).selectAll().executeTakeFirst()
}

/** Returns the model that embeds new texts: the serving model or its successor. */
export async function findEmbeddingModel(db: Database): Promise<ModelRow | undefined> {
  return db.selectFrom('embedding_models').where('embeds', '=', true).selectAll().executeTakeFirst()
}

/**
 * Notes that a worker of this model is alive, and deletes what is left of workers that ended without leaving. Returns
 * undefined when another model embeds texts. All rows are changed after the one of the model, so that two workers do
 * not wait for each other.
 */
export async function touchModel(
  db: Database,
  configured: ConfiguredModel,
  { worker, now, absentMs }: Presence,
): Promise<ModelRow | undefined> {
  const { provider, model, dimensions, max_sensitivity: maxSensitivity } = configured
  const { rows } = await sql<ModelRow>`
    with touched as (
      update embedding_models set seen_at = ${now}::timestamptz
      where embeds and provider = ${provider} and model = ${model} and dimensions = ${dimensions}::int
        and max_sensitivity = ${maxSensitivity}::sensitivity
      returning *
    ), noted as (
      insert into embedding_workers (worker, model_id, seen_at)
      select ${worker}::uuid, touched.id, ${now}::timestamptz from touched
      on conflict (worker) do update set model_id = excluded.model_id, seen_at = excluded.seen_at
    ), gone as (
      delete from embedding_workers as w using touched
      where w.worker <> ${worker}::uuid
        and w.seen_at < ${now}::timestamptz - ${absentMs}::int * interval '1 millisecond'
    )
    select * from touched
  `.execute(db)
  return rows[0]
}

/** Deletes a worker that stops, and returns the model that it had; undefined when it had none. */
export async function deleteWorker(tx: Transaction, worker: string): Promise<number | undefined> {
  const gone = await tx
    .deleteFrom('embedding_workers')
    .where('worker', '=', worker)
    .returning('model_id')
    .executeTakeFirst()
  return gone?.model_id
}

/** After a worker has stopped, its model was last seen by the workers that are left, or by none. */
export async function releaseModel(tx: Transaction, modelId: number): Promise<void> {
  await sql`
    update embedding_models as m
    set seen_at = coalesce((select max(w.seen_at) from embedding_workers as w where w.model_id = m.id), 'epoch')
    where m.id = ${modelId} and m.embeds
  `.execute(tx)
}

/** Blocks other registrations until the transaction ends. Readers are not blocked. */
export async function lockModels(tx: Transaction): Promise<void> {
  await sql`lock table embedding_models in share row exclusive mode`.execute(tx)
}

/**
 * Ends the current embedding model. If it serves searches, it continues to serve until its successor is ready; otherwise its
 * vectors are queued for deletion.
 */
export async function retireModel(tx: Transaction): Promise<void> {
  await tx
    .updateTable('embedding_models')
    .set({ embeds: false, walked_to: sql`case when not serves then ${nilUuid}::uuid end` })
    .where('embeds', '=', true)
    .execute()
}

/**
 * Registers the model that embeds texts from now on and queues the records it has not embedded. The first model
 * serves at once.
 */
export async function registerModel(
  tx: Transaction,
  configured: ConfiguredModel,
  now: Date,
): Promise<ModelRow> {
  const place = { registered_at: now, seen_at: now, embeds: true, walked_to: nilUuid }
  return tx
    .insertInto('embedding_models')
    .values({ ...configured, ...place, serves: sql`not exists (select from embedding_models where serves)` })
    .onConflict((conflict) =>
      conflict.constraint('embedding_models_name').doUpdateSet({
        ...place,
        max_sensitivity: configured.max_sensitivity,
        serves: sql`embedding_models.serves or excluded.serves`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Locks the model and returns whether records are still to be queued for it. The lock keeps vectors from being stored
 * meanwhile: a record embedded just before would be queued again.
 */
export async function lockUnfilledModel(tx: Transaction, modelId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('embedding_models')
    .where('id', '=', modelId)
    .where('embeds', '=', true)
    .where('walked_to', 'is not', null)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Queues the next records that the model may read and has not embedded. Returns whether there may be more. Records
 * that are already queued stay as they are. The position is read in a subquery: with a join the planner would sort
 * all remaining rows for each step.
 */
export async function queueUnembedded(tx: Transaction, modelId: number, limit: number): Promise<boolean> {
  const { rows } = await sql<{ walked_to: string | null }>`
    with model as materialized (
      select id, walked_to, registered_at, max_sensitivity from embedding_models
      where id = ${modelId} and embeds and walked_to is not null
    ), portion as materialized (
      select id, sensitivity from records where id > (select walked_to from model) order by id limit ${limit}
    ), listed as (
      insert into unembedded (record_id, asked_at, due_at)
      select p.id, m.registered_at, m.registered_at
      from portion as p, model as m
      where p.sensitivity <= m.max_sensitivity
        and not exists (select from embeddings as e where e.record_id = p.id and e.model_id = m.id)
      on conflict (record_id) do nothing
    )
    update embedding_models
    set walked_to = (select id from portion order by id desc limit 1)
    from model where embedding_models.id = model.id
    returning embedding_models.walked_to
  `.execute(tx)
  return rows.some(({ walked_to: place }) => place !== null)
}

/**
 * Locks the model and returns whether it has embedded, or given up, every text from before its registration.
 */
export async function lockReadyModel(tx: Transaction, modelId: number): Promise<boolean> {
  const { rows } = await sql`
    select from embedding_models as m
    where id = ${modelId} and embeds and not serves and walked_to is null
      and not exists (
        select from unembedded where asked_at <= m.registered_at and due_at < 'infinity'
      )
    for no key update
  `.execute(tx)
  return rows.length > 0
}

/** Ends the serving model. Its vectors are queued for deletion. */
export async function stopServing(tx: Transaction): Promise<void> {
  await tx
    .updateTable('embedding_models')
    .set({ serves: false, walked_to: nilUuid })
    .where('serves', '=', true)
    .execute()
}

export async function startServing(tx: Transaction, modelId: number): Promise<void> {
  await tx.updateTable('embedding_models').set({ serves: true }).where('id', '=', modelId).execute()
}

/**
 * Deletes the next vectors of a model that neither serves nor embeds. Returns whether there may be more. Locked rows
 * are skipped: their records are being erased or embedded again.
 */
export async function deleteRetiredVectors(tx: Transaction, limit: number): Promise<boolean> {
  const { rows } = await sql`
    with model as materialized (
      select id, walked_to from embedding_models
      where not embeds and not serves and walked_to is not null
      order by id limit 1
      for no key update skip locked
    ), portion as materialized (
      select e.record_id, e.model_id from embeddings as e
      where e.record_id > (select walked_to from model) and e.model_id = (select id from model)
      order by e.record_id
      limit ${limit}
      for update of e skip locked
    ), deleted as (
      delete from embeddings using portion
      where embeddings.record_id = portion.record_id and embeddings.model_id = portion.model_id
    )
    update embedding_models
    set walked_to = (select record_id from portion order by record_id desc limit 1)
    from model where embedding_models.id = model.id
    returning embedding_models.id
  `.execute(tx)
  return rows.length > 0
}
