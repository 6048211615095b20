import { type RawBuilder, sql } from 'kysely'
import { time } from '../db/fragments/json/json-text.ts'
import { isNamed } from '../db/fragments/named-changes.ts'
import { recordState } from '../db/fragments/record-state.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import type { Via } from '../domain/trust/caller.ts'

const columns = ['forgotten_at', 'forgotten_reason', 'forgotten_by', 'forgotten_run_id', 'purge_at']
const forgetting = sql`
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at`
const state = sql`jsonb_build_object(${recordState}, ${forgetting})`
const shown = sql`jsonb_build_object(
  'forgotten_at', ${time(sql`r.forgotten_at`)}, 'forgotten_reason', r.forgotten_reason)`

type Writing = {
  runId: string
  targetId: string
  only: readonly string[] | null
  actor: string
  rationale: string
  /** The key that asked for the undo. */
  via: Via | null
  now: Date
}
type Restoration = Writing & {
  after: string
  limit: number
  /** These stay forgotten. */
  erasedIds: readonly string[]
}
type Shown = { forgotten_at: string | null; forgotten_reason: string | null }
/** A record that was restored, or forgotten again, as the undo lists it. */
export type Rewritten = { record_id: string; before: Shown; after: Shown }

type Portion = { targetId: string; only: readonly string[] | null; after: string; limit: number }

/** The next records that a run lists, and whether the undo is asked for them. */
function selectNextListed({ targetId, only, after, limit }: Portion): RawBuilder<unknown> {
  return sql`
      select c.record_id as id, bool_or(${isNamed(only)}) as is_selected
      from maintenance_changes as c
      where c.run_id = ${targetId}::uuid and c.record_id > ${after}::uuid
      group by c.record_id order by c.record_id limit ${limit}
    `
}

export type ForgottenContent = {
  id: string
  scope: string
  payload: Payload
  /** Whether this undo lists the record already. */
  is_listed: boolean
}

/** Reads the contents of the next records that a run forgot, only where something was erased from their scope. */
export async function findForgottenContents(
  tx: Transaction,
  { runId, ...portion }: Portion & { runId: string },
): Promise<ForgottenContent[]> {
  const { rows } = await sql<ForgottenContent>`
    with due as materialized (${selectNextListed(portion)})
    select r.id, r.scope, content.payload, exists (
      select from maintenance_changes as d where d.run_id = ${runId}::uuid and d.record_id = r.id offset 0
    ) as is_listed
    from due join records as r on r.id = due.id join contents as content on content.record_id = r.id
    where due.is_selected and r.forgotten_run_id = ${portion.targetId}::uuid and r.scope in (select scope from tombstones)
  `.execute(tx)
  return rows
}

/**
 * Restores the next of the records that a run forgot and that were not restored since, with the state that they had. Records whose
 * rows the run has kept are not among them; the offset makes this an index probe for each, where a join would read all rows
 * of the run for each portion.
 */
export async function restoreForgotten(
  tx: Transaction,
  { after, limit, erasedIds, ...writing }: Restoration,
): Promise<{ rewritten: Rewritten[]; last: string | null }> {
  const { targetId, only } = writing
  const { rows } = await sql<{ rewritten: Rewritten[]; last: string | null }>`
    with due as materialized (${selectNextListed({ targetId, only, after, limit })}), locked as materialized (
      select r.id, ${state} as old, ${shown} as was, '{}'::jsonb as requested
      from due join records as r on r.id = due.id
      where due.is_selected and r.id <> all(${erasedIds}::uuid[])
        and r.forgotten_run_id = ${targetId}::uuid and not exists (
        select from run_effects as e
        where e.record_id = r.id and e.run_id = ${targetId}::uuid and e.relation = 'records'
          and e.after ->> 'forgotten_at' is not null
        offset 0
      )
      order by r.id
      for update of r
    ), ${rewriteLocked(writing)}
    select (select id from due order by id desc limit 1) as last, ${listed} as rewritten
  `.execute(tx)
  return rows[0] ?? { rewritten: [], last: null }
}

/** Further members of an effect of these records, which do not tell whether the records have changed. */
const times = ['updated_at', 'restored_at', 'revealed']

/** `batch`: the batch of the run that is taken back. */
export type TakingBack = Writing & { batch: string }

/**
 * Takes back a batch that only forgot records or restored them, if they are as it left them. Reading and writing their rows one by
 * one took more than twice as long. `left` counts the rows that it did not take back: rows of records for which this undo lists
 * something already, and rows that would come back into a scope from which something was erased.
 */
export async function takeBackForgetting(
  tx: Transaction,
  { batch, ...writing }: TakingBack,
): Promise<{ rewritten: Rewritten[]; left: number }> {
  const { runId, targetId, only } = writing
  const free = sql`${[...columns, ...times, 'version']}::text[]`
  const { rows } = await sql<{ rewritten: Rewritten[]; left: number }>`
    with noted as materialized (
      select e.record_id as id, e.before, e.after, coalesce(
        e.relation = 'records' and e.others is null and e.before ?& ${columns}::text[] and e.after ?& ${columns}::text[]
          and e.before - ${free} = e.after - ${free}, false) as only_forgets
      from run_effects as e
      where e.run_id = ${targetId}::uuid and e.batch = ${batch}::xid8
    ), locked as materialized (
      select r.id, ${state} as old, ${shown} as was, noted.before as requested
      from noted join records as r on r.id = noted.id
      where (select bool_and(only_forgets) and count(distinct id) = count(*) from noted)
        and ${state} @> noted.after - ${times}::text[]
        and (noted.before ->> 'forgotten_at' is not null or not exists (
          select from tombstones as t where t.scope = r.scope offset 0
        ))
        and exists (
          select from maintenance_changes as c
          where c.run_id = ${targetId}::uuid and c.record_id = r.id and c.action <> 'failed' and ${isNamed(only)}
          offset 0
        ) and not exists (
          select from maintenance_changes as d where d.run_id = ${runId}::uuid and d.record_id = r.id offset 0
        )
      order by r.id
      for update of r
    ), ${rewriteLocked(writing)}
    select (select count(*) from noted) - (select count(*) from rewritten) as left, ${listed} as rewritten
  `.execute(tx)
  return rows[0] ?? { rewritten: [], left: 0 }
}

/**
 * Gives each record in `locked` its `requested` state. A record without one is restored. The same statement writes their log, the
 * changes of the undo and its effects.
 */
function rewriteLocked({ runId, now, actor, rationale, via }: Writing): RawBuilder<unknown> {
  return sql`rewritten as (
      update records as r
      set forgotten_at = (requested ->> 'forgotten_at')::timestamptz, forgotten_reason = requested ->> 'forgotten_reason',
        forgotten_by = requested ->> 'forgotten_by', forgotten_run_id = (requested ->> 'forgotten_run_id')::uuid,
        purge_at = (requested ->> 'purge_at')::timestamptz, version = r.version + 1,
        updated_at = greatest(r.updated_at, ${now}::timestamptz),
        restored_at = case when requested ->> 'forgotten_at' is null then ${now}::timestamptz else r.restored_at end
      from locked where r.id = locked.id
      returning r.id, locked.old, locked.was, ${state} as new, ${shown} as "is"
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select ${runId}::uuid, id, 'records', old, new from rewritten
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, via, changes)
      select id, ${runId}::uuid, ${now}::timestamptz, 'undo', ${actor}, ${rationale},
        ${via && JSON.stringify(via)}::jsonb, jsonb_build_object(
        'forgotten_at', jsonb_build_array(was -> 'forgotten_at', "is" -> 'forgotten_at'),
        'forgotten_reason', jsonb_build_array(was -> 'forgotten_reason', "is" -> 'forgotten_reason')
      )
      from rewritten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select ${runId}::uuid, id, 'undo', was, "is" from rewritten
      on conflict (run_id, record_id, action) do nothing
    )`
}

const listed = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('record_id', id, 'before', was, 'after', "is") order by id), '[]')
  from rewritten
)`
