import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Sensitivity, SourceType } from '../../domain/caller.ts'
import type { Neighbour } from '../../domain/similarity.ts'
import { leastImportance } from '../../domain/surprise.ts'
import type { Precision } from '../../domain/vector-codes.ts'
import type { Provenance } from '../../records/index.ts'

/** The list of records whose first vector is still to be compared with what the store knew. */

export async function hasUncompared(db: Database): Promise<boolean> {
  const { rows } = await sql`select from unsurprised limit 1`.execute(db)
  return rows.length > 0
}

/** How many are on the list. */
export async function countUncompared(db: Database, scope: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from unsurprised as u where ${isOf(scope)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** One at a time: two at once would each miss what the other is comparing. Nobody waits for another. */
export async function tryLockComparison(tx: Database): Promise<boolean> {
  const { rows } = await sql<{ is_mine: boolean }>`
    select pg_try_advisory_xact_lock(7350, 12) as is_mine
  `.execute(tx)
  return rows[0]?.is_mine ?? false
}

/** Undefined while one model follows another: what is written meanwhile has a vector of the one that does not serve. */
export async function findStableModel(tx: Database): Promise<{ id: number; dimensions: number } | undefined> {
  const { rows } = await sql<{ id: number; dimensions: number }>`
    select id, dimensions from embedding_models where serves and embeds for share
  `.execute(tx)
  return rows[0]
}

export type PendingRecord = {
  id: string
  scope: string
  sensitivity: Sensitivity
  is_live: boolean
  /** Null where the vector is gone again. */
  vector: { bits: Precision; code: Buffer; signature: Buffer } | null
}

type PendingInput = { modelId: number; scope: string | null; limit: number }

/**
 * The next in the order in which records came to be, as far as no text that was written before, or with them, waits
 * for its vector: of two that say the same the later one repeats, whichever vector was there first. A text that has
 * failed already is not waited for.
 */
export async function findUncompared(
  tx: Database,
  { modelId, scope, limit }: PendingInput,
): Promise<PendingRecord[]> {
  const { rows } = await sql<
    Omit<PendingRecord, 'vector'> & { bits: Precision | null; code: Buffer; signature: Buffer }
  >`
    select r.id, r.scope, r.sensitivity, (${isLive}) as is_live, e.bits, e.code, substr(bit_send(s.bits), 5) as signature
    from unsurprised as u
    join records as r on r.id = u.record_id
    left join (embeddings as e join signatures as s using (record_id, model_id))
      on e.record_id = u.record_id and e.model_id = ${modelId}
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

/** On a row `r`: what may be compared with. Whoever sees what is compared may see it too. */
export function comparableIn(scope: string, ceiling: Sensitivity): RawBuilder<SqlBool>[] {
  return [
    sql<SqlBool>`r.scope = ${scope}`,
    isLive,
    ...(ceiling === 'hyper' ? [] : [sql<SqlBool>`r.sensitivity <= ${ceiling}`]),
  ]
}

/** On a row `r`: that its own turn has come before. */
export function isCompared(): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (select from unsurprised as waiting where waiting.record_id = r.id)`
}

export type RecordSourceRow = {
  id: string
  provenance: Provenance
  source_type: SourceType
  sensitivity: Sensitivity
}

/** Where records have what they say from. */
export async function findRecordSources(tx: Database, ids: readonly string[]): Promise<RecordSourceRow[]> {
  const { rows } = await sql<RecordSourceRow>`
    select r.id, c.provenance, r.source_type, r.sensitivity
    from records as r join contents as c on c.record_id = r.id
    where r.id = any(${sql.val([...ids])}::uuid[])
  `.execute(tx)
  return rows
}

export type Comparison = {
  id: string
  score: number
  delta: number
  duplicate_of: string | null
  /** Whether what it repeats has thereby one witness more. */
  confirms: boolean
  neighbours: readonly Neighbour[]
}

/**
 * Moves base importance by what was found, says so, counts who was confirmed and takes all of them from the list, in
 * one statement; answers whose inputs moved. Locked in the order of ids, as all writers lock. A pinned record is left
 * as it is, and one that has been compared before is not compared again. What was derived from another is no witness
 * to it.
 */
export async function writeSurprises(
  tx: Database,
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
    ), told as (
      insert into surprises (record_id, at, score, delta, base_before, duplicate_of, neighbours)
      select c.id, ${now}::timestamptz, c.score, case when l.pinned then 0 else c.delta end, l.base_importance,
        c.duplicate_of, c.neighbours
      from compared as c join locked as l using (id)
      on conflict (record_id) do nothing
      returning record_id, delta
    ), confirmed as (
      select l.id, count(*)::integer as times
      from told join compared as c on c.id = told.record_id and c.confirms join locked as l on l.id = c.duplicate_of
      where l.is_live and not l.pinned and not exists (
        select from relations as e
        where e.predicate = 'derived_from'
          and ((e.source_id = c.id and e.target_id = l.id) or (e.source_id = l.id and e.target_id = c.id))
      )
      group by l.id
    ), moved as (
      update records as r
      set base_importance = case when told.delta <> 0
          then least(1, greatest(${sql.lit(leastImportance)}::float8, l.base_importance + told.delta))
          else l.base_importance end,
        confirmation_count = r.confirmation_count + coalesce(confirmed.times, 0)
      from locked as l
      left join told on told.record_id = l.id
      left join confirmed on confirmed.id = l.id
      where r.id = l.id and (told.delta <> 0 or confirmed.times > 0)
      returning r.id
    ), unlisted as (
      delete from unsurprised as u using compared as c where u.record_id = c.id
    )
    select id from moved order by id
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** What cannot be compared waits no longer. */
export async function dropUncompared(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`delete from unsurprised where record_id = any(${sql.val([...ids])}::uuid[])`.execute(tx)
}
