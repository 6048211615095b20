import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import { comparisonKey } from '../../db/fragments/lock-keys.ts'
import type { Transaction } from '../../db/transaction.ts'
import { minImportance } from '../../domain/importance/surprise.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import type { Neighbour } from '../../domain/vectors/similarity.ts'
import type { Precision } from '../../domain/vectors/vector-codes.ts'
import type { RecordSource } from './independent-source.ts'

/** The queue of records whose first vector is still to be compared with what the store already knew. */

export async function hasUncompared(db: Database): Promise<boolean> {
  const { rows } = await sql`select from unsurprised limit 1`.execute(db)
  return rows.length > 0
}

/** Returns the length of the queue. */
export async function countUncompared(db: Database, scope: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from unsurprised as u where ${isOf(scope)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Lets one comparison run at a time, without waiting: two at once would each miss the records of the other.
 */
export async function tryLockComparison(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ is_mine: boolean }>`
    select pg_try_advisory_xact_lock(${comparisonKey}) as is_mine
  `.execute(tx)
  return rows[0]?.is_mine ?? false
}

/**
 * Returns the model; undefined during a change of model, because new records then have a vector of the model that
 * does not serve yet.
 */
export async function findStableModel(
  tx: Transaction,
): Promise<{ id: number; provider: string; dimensions: number } | undefined> {
  const { rows } = await sql<{ id: number; provider: string; dimensions: number }>`
    select id, provider, dimensions from embedding_models where serves and embeds for share
  `.execute(tx)
  return rows[0]
}

export type PendingRecord = {
  id: string
  scope: string
  sensitivity: Sensitivity
  is_live: boolean
  /** Null when the vector was deleted meanwhile. */
  vector: { bits: Precision; code: Buffer; signature: Buffer } | null
}

type PendingInput = { modelId: number; scope: string | null; limit: number }

/**
 * Returns the next records in the order of their creation, up to the first text that was written earlier and still
 * waits for its vector: of two equal records the later one is the repetition, whichever vector came first. Texts that
 * have failed before are not waited for. The vectors are looked up record by record, because without statistics, as
 * after a large import, the planner reads all of them for each record.
 */
export async function findUncompared(
  tx: Transaction,
  { modelId, scope, limit }: PendingInput,
): Promise<PendingRecord[]> {
  const { rows } = await sql<
    Omit<PendingRecord, 'vector'> & { bits: Precision | null; code: Buffer; signature: Buffer }
  >`
    select r.id, r.scope, r.sensitivity, (${isLive}) as is_live, v.bits, v.code, v.signature
    from unsurprised as u
    join records as r on r.id = u.record_id
    left join lateral (
      select e.bits, e.code, substr(bit_send(s.bits), 5) as signature
      from embeddings as e join signatures as s using (record_id, model_id)
      where record_id = u.record_id and model_id = ${modelId}
      offset 0
    ) as v on true
    where ${isOf(scope)} and u.asked_at < coalesce((
      select min(w.asked_at) from unembedded as w
      where w.attempts = 0 and w.due_at < 'infinity' and ${isOf(scope, 'w')}
    ), 'infinity')
    order by u.created_at, u.record_id
    limit ${limit}
  `.execute(tx)
  return rows.map(({ bits, code, signature, ...rest }) => ({
    ...rest,
    vector: bits === null ? null : { bits, code, signature },
  }))
}

function isOf(scope: string | null, list = 'u'): RawBuilder<SqlBool> {
  return scope === null
    ? sql<SqlBool>`true`
    : sql<SqlBool>`exists (
        select from records as o where o.id = ${sql.ref(`${list}.record_id`)} and o.scope = ${scope}
      )`
}

const isLive = sql<SqlBool>`r.forgotten_at is null and r.status in ('active', 'challenged')`

/**
 * Conditions on a row `r`: which records a new one is compared with. Every key that may read the new record may read them too.
 */
export function listComparableConditions(scope: string, ceiling: Sensitivity): Conditions {
  return [
    sql<SqlBool>`r.scope = ${scope}`,
    isLive,
    ...(ceiling === 'hyper' ? [] : [sql<SqlBool>`r.sensitivity <= ${ceiling}`]),
  ]
}

/** A condition on a row `r`: the record was already compared itself. */
export function isCompared(): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (select from unsurprised as waiting where waiting.record_id = r.id)`
}

/** `payload` is null where it is large: a batch reads hundreds of them. */
export type ComparedRecord = RecordSource & { id: string; payload: Payload | null }

const maxStoredBytes = 16_384

/** Reads the sources of records, and the contents of those that are not large. */
export async function findComparedRecords(db: Database, ids: readonly string[]): Promise<ComparedRecord[]> {
  const { rows } = await sql<ComparedRecord>`
    select r.id, c.provenance, r.source_type, r.sensitivity,
      case when pg_column_size(c.payload) <= ${sql.lit(maxStoredBytes)} then c.payload end as payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = any(${ids}::uuid[])
  `.execute(db)
  return rows
}

export type Comparison = {
  id: string
  score: number
  delta: number
  duplicate_of: string | null
  /** Whether it confirms the record that it repeats. */
  confirms: boolean
  neighbours: readonly Neighbour[]
}

/**
 * Changes base importance, stores the surprise, counts confirmations and removes the records from the queue, in one
 * statement. Returns the ids of records whose scores may have changed. Rows are locked in the order of ids, as every
 * writer does. A pinned record keeps its base importance, and no record is compared twice. A derived record does not
 * confirm its source.
 */
export async function writeSurprises(
  tx: Transaction,
  compared: readonly Comparison[],
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with compared as materialized (
      select * from json_to_recordset(${JSON.stringify(compared)}::json) as compared (
        id uuid, score float8, delta float8, duplicate_of uuid, confirms bool, neighbours jsonb
      )
    ), locked as materialized (
      select r.id, r.base_importance, r.pinned, (${isLive}) as is_live from records as r
      where r.id in (select id from compared union select duplicate_of from compared where confirms)
      order by r.id
      for no key update
    ), stored as (
      insert into surprises (record_id, at, score, delta, base_before, duplicate_of, neighbours)
      select c.id, ${now}::timestamptz, c.score, case when l.pinned then 0 else c.delta end, l.base_importance,
        c.duplicate_of, c.neighbours
      from compared as c join locked as l using (id)
      on conflict (record_id) do nothing
      returning record_id, delta
    ), confirmed as (
      select l.id, count(*)::integer as times
      from stored join compared as c on c.id = stored.record_id and c.confirms join locked as l on l.id = c.duplicate_of
      where l.is_live and not l.pinned and not exists (
        select from relations as e
        where e.predicate = 'derived_from'
          and ((e.source_id = c.id and e.target_id = l.id) or (e.source_id = l.id and e.target_id = c.id))
      )
      group by l.id
    ), moved as (
      update records as r
      set base_importance = case when stored.delta <> 0
          then least(1, greatest(${sql.lit(minImportance)}::float8, l.base_importance + stored.delta))
          else l.base_importance end,
        confirmation_count = r.confirmation_count + coalesce(confirmed.times, 0)
      from locked as l
      left join stored on stored.record_id = l.id
      left join confirmed on confirmed.id = l.id
      where r.id = l.id and (stored.delta <> 0 or confirmed.times > 0)
      returning r.id
    ), unlisted as (
      delete from unsurprised as u using compared as c where u.record_id = c.id
    )
    select id from moved order by id
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Removes records that cannot be compared from the queue. */
export async function dropUncompared(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`delete from unsurprised where record_id = any(${ids}::uuid[])`.execute(tx)
}
