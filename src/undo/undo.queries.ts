import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isNamed } from '../db/fragments/named-changes.ts'
import { recordState } from '../db/fragments/record-state.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Effect, Row } from '../effects/index.ts'

/** Changes `c` that are listed, but changed nothing. */
const isIdle = sql<SqlBool>`c.action in ('failed', 'kept', 'skipped')`

type Selected = { targetId: string; only: readonly string[] | null }

/** The records that a run changed, or the selected ones among them. */
export async function countChanged(db: Database, { targetId, only }: Selected): Promise<number> {
  const { rows } = await sql<{ changed: number }>`
    select count(*) as changed from (
      select distinct c.record_id from maintenance_changes as c
      where c.run_id = ${targetId}::uuid and not ${isIdle} and ${isNamed(only)}
    ) as record
  `.execute(db)
  return rows[0]?.changed ?? 0
}

/** The first record after an id for which the run lists a change. */
export async function findNextChanged(
  tx: Transaction,
  { targetId, after }: { targetId: string; after: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ record_id: string }>`
    select record_id from maintenance_changes where run_id = ${targetId}::uuid and record_id > ${after}::uuid
    order by record_id limit 1
  `.execute(tx)
  return rows[0]?.record_id
}

export type ListedChange = {
  record_id: string
  action: string
  /** The entry that this undo has for the record already, because the run changed it more than once. */
  listed: string | null
  /** Whether the run changed more of the record than the lists and edges that name it. */
  is_changed: boolean
}

type Target = { runId: string; targetId: string }

/** The changes of these records that the run lists. */
export async function listChangesOf(
  tx: Transaction,
  { runId, targetId }: Target,
  ids: readonly string[],
): Promise<ListedChange[]> {
  const { rows } = await sql<ListedChange>`
    select c.record_id, c.action, (
      select max(d.action) from maintenance_changes as d
      where d.run_id = ${runId}::uuid and d.record_id = c.record_id and d.action in ('kept', 'undo')
    ) as listed, exists (
      select from run_effects as e
      where e.record_id = c.record_id and e.run_id = c.run_id and e.relation = 'records'
      offset 0
    ) as is_changed
    from maintenance_changes as c
    where c.run_id = ${targetId}::uuid and c.record_id = any(${ids}::uuid[]) and c.action <> 'failed'
  `.execute(tx)
  return rows
}

type Portion = { runId: string; after: string; limit: number }

/**
 * The moves of importance that a run logged and that still stand, as effects. The bound in time keeps the months before the
 * run out; the clocks of two workers differ.
 */
export async function listImportanceMoves(
  tx: Transaction,
  { runId, after, limit }: Portion,
): Promise<Effect[]> {
  const { rows } = await sql<{ owner: string; before: Row; after: Row }>`
    select r.id as owner, jsonb_build_object(${recordState}, 'forgotten_at', r.forgotten_at, 'importance', h.old) as before,
      jsonb_build_object(${recordState}, 'forgotten_at', r.forgotten_at, 'importance', h.new) as after
    from importance_history as h join records as r on r.id = h.record_id
    where h.run_id = ${runId}::uuid and h.record_id > ${after}::uuid and r.importance = h.new
      and h.at >= (select m.created_at - interval '1 day' from maintenance_runs as m where m.id = ${runId}::uuid)
      and not exists (
        select from run_effects as e
        where e.record_id = r.id and e.run_id = ${runId}::uuid and e.relation = 'records' and e.after ? 'importance'
        offset 0
      )
    order by h.record_id
    limit ${limit}
  `.execute(tx)
  return rows.map((row) => ({ relation: 'records', ...row }))
}

/** Whether an earlier undo of the run has taken back what it did to the record `id`. */
const isTakenBack = (targetId: string, id: RawBuilder<unknown>) => sql<SqlBool>`exists (
  select from maintenance_runs as earlier join maintenance_changes as d on d.run_id = earlier.id
  where earlier.job = 'undo' and not earlier.dry_run and earlier.options ->> 'run_id' = ${targetId}
    and d.record_id = ${id} and d.action = 'undo'
)`
export const takenBackNote = 'it was taken back already'

/** Returns the records from which an earlier undo of the run has taken something back. */
export async function listTakenBack(
  tx: Transaction,
  targetId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as requested (id) where ${isTakenBack(targetId, sql`requested.id`)}
  `.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

type Keeping = Target & Selected & { after: string; limit: number }
export type KeptRecord = { id: string; note: string }

/**
 * Lists and returns the next records of the target from which this run took nothing back. The offset makes each an index probe:
 * nothing is known yet about how much this run lists.
 */
export async function listKept(
  tx: Transaction,
  { runId, targetId, only, after, limit }: Keeping,
): Promise<{ kept: KeptRecord[]; last: string | null }> {
  const { rows } = await sql<{ kept: KeptRecord[]; last: string | null }>`
    with due as materialized (
      select distinct c.record_id as id from maintenance_changes as c
      where c.run_id = ${targetId}::uuid and c.record_id > ${after}::uuid and not ${isIdle} and ${isNamed(only)}
      order by c.record_id limit ${limit}
    ), kept as (
      insert into maintenance_changes (run_id, record_id, action, note)
      select ${runId}::uuid, due.id, 'kept', case
        when gone.kind = 'erased' then 'it was erased'
        when gone.kind is not null then 'it was purged'
        when ${isTakenBack(targetId, sql`due.id`)} then ${takenBackNote}
        else 'it was changed, restored or deleted since'
      end
      from due left join departures as gone on gone.id = due.id
      where not exists (
        select from maintenance_changes as d where d.run_id = ${runId}::uuid and d.record_id = due.id offset 0
      )
      on conflict do nothing
      returning record_id as id, note
    )
    select (select id from due order by id desc limit 1) as last,
      (select coalesce(jsonb_agg(to_jsonb(kept)), '[]') from kept) as kept
  `.execute(tx)
  return rows[0] ?? { kept: [], last: null }
}

export async function hasEffects(db: Database, runId: string): Promise<boolean> {
  const { rows } = await sql`select from run_effects where run_id = ${runId}::uuid limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Whether a run lists changes whose rows it must have kept. It need not keep those of a forgotten record, which names its run, nor
 * moves of the importance, which are in a history. The rows of an erased or purged record are deleted with it.
 */
export async function hasChanges(db: Database, runId: string): Promise<boolean> {
  const { rows } = await sql`
    select from maintenance_changes as c
    where c.run_id = ${runId}::uuid and not ${isIdle}
      and c.action not in ('candidate', 'prune', 'forget', 'archive', 'rescore')
      and exists (select from records as r where r.id = c.record_id offset 0)
    limit 1
  `.execute(db)
  return rows.length > 0
}
