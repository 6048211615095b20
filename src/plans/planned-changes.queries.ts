import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'
import { erasedNote, isDone } from './listed-changes.queries.ts'
import { isDoneBy, isSelected } from './selection.queries.ts'

export type Application = {
  planId: string
  plannedAt: Date
  only: readonly string[] | null
  except: readonly string[] | null
}

/** Undefined when the plan was dropped. */
export async function findApplication(db: Database, runId: string): Promise<Application | undefined> {
  const { rows } = await sql<Application>`
    select a.plan_id as "planId", coalesce(m.started_at, m.created_at) as "plannedAt", a.selection -> 'only' as only,
      a.selection -> 'except' as "except"
    from plan_applications as a join maintenance_runs as m on m.id = a.plan_id
    where a.run_id = ${runId}::uuid
  `.execute(db)
  return rows[0]
}

/** The selected changes that are left to be made. */
export async function countSelected(
  db: Database,
  { planId, runId, only, except }: Application & { runId: string },
): Promise<number> {
  const { rows } = await sql<{ selected: number }>`
    select count(*) as selected from maintenance_changes as c
    where c.run_id = ${planId}::uuid and c.action <> 'failed' and ${isSelected({ only, except })} and not ${isDoneBy(runId)}
  `.execute(db)
  return rows[0]?.selected ?? 0
}

export type PlannedChange = {
  record_id: string
  action: string
  before: object | null
  after: object | null
  note: string | null
  /** Another application of the plan made this change, or this one has found that it cannot be made. */
  is_done: boolean
  /** A change to the same record is left out, and what was planned together is made together. */
  is_excluded: boolean
  /** No later batch changes the record. */
  is_last: boolean
}

const listed = (names: readonly string[] | null) => sql`${names}::text[]`

/** The changes of these records that the plan lists. */
export async function listPlanned(
  tx: Transaction,
  {
    planId,
    runId,
    except,
    owners,
    batch = null,
  }: Application & { runId: string; owners: readonly string[]; batch?: string | null },
): Promise<PlannedChange[]> {
  const { rows } = await sql<PlannedChange>`
    select c.record_id, c.action, c.before, c.after, c.note,
      coalesce(bool_or(c.action = any(${listed(except)})) over (partition by c.record_id), false) as is_excluded,
      exists (
        select from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
        where a.plan_id = ${planId}::uuid and a.run_id <> ${runId}::uuid
          and made.record_id = c.record_id and made.action = c.action
      ) or exists (
        select from maintenance_changes as made
        where made.run_id = ${runId}::uuid and made.record_id = c.record_id and made.action in ('skipped', 'failed')
      ) as is_done, not exists (
        select from run_effects as e
        where e.record_id = c.record_id and e.run_id = c.run_id and e.id > (
          select max(b.id) from run_effects as b where b.run_id = ${planId}::uuid and b.batch = ${batch}::xid8
        )
      ) as is_last
    from maintenance_changes as c
    where c.run_id = ${planId}::uuid and c.record_id = any(${owners}::uuid[]) and c.action <> 'failed'
  `.execute(tx)
  return rows
}

/** Returns which of the records the plan creates. The offset makes it an index probe for each. */
export async function listCreated(
  tx: Transaction,
  planId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as changed (id)
    where exists (
      select from run_effects as e
      where e.record_id = changed.id and e.run_id = ${planId}::uuid and e.relation = 'records' and e.before is null
      offset 0
    )
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** The next records that the plan lists, by id. */
export async function listPlannedIds(
  tx: Transaction,
  { planId, after, limit }: { planId: string; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    select distinct record_id from maintenance_changes
    where run_id = ${planId}::uuid and record_id > ${after}::uuid and action <> 'failed'
    order by record_id limit ${limit}
  `.execute(tx)
  return rows.map(({ record_id: id }) => id)
}

/** Lists the selected changes that write nothing. Those whose effects are gone were erased. */
export async function listRest(
  tx: Transaction,
  { planId, runId, only, except }: Application & { runId: string },
): Promise<{ applied: number; skipped: number }> {
  const { rows } = await sql<{ applied: number; skipped: number }>`
    with rest as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note)
      select ${runId}::uuid, c.record_id, case when lost then 'skipped' else c.action end,
        case when not lost then c.before end, case when not lost then c.after end, c.note
      from maintenance_changes as c
      cross join lateral (select c.note is not distinct from ${erasedNote} as lost) as erasure
      where c.run_id = ${planId}::uuid and c.action <> 'failed'
        and c.planned is null and ${isSelected({ only, except })}
        and not exists (
          select from run_effects as e where e.run_id = c.run_id and e.record_id = c.record_id and not lost
        )
        and not ${isDone} and not ${isDoneBy(runId)}
      on conflict (run_id, record_id, action) do nothing
      returning action
    )
    select count(*) filter (where action <> 'skipped') as applied,
      count(*) filter (where action = 'skipped') as skipped from rest
  `.execute(tx)
  return rows[0] ?? { applied: 0, skipped: 0 }
}

/** Notes when nothing is left to be applied of a plan. */
export async function markApplied(tx: Transaction, planId: string, now: Date): Promise<void> {
  await sql`
    update plans as p set applied_at = ${now}::timestamptz
    where p.id = ${planId}::uuid and p.applied_at is null and not exists (
      select from maintenance_changes as c where c.run_id = p.id and c.action <> 'failed' and not ${isDone}
    )
  `.execute(tx)
}
