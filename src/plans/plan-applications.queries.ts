import { type SqlBool, sql } from 'kysely'
import type { Transaction } from '../db/transaction.ts'

/** Locks the plan, so that two requests that apply or delete it see each other. */
export async function lockPlan(tx: Transaction, id: string): Promise<void> {
  await sql`select from plans where id = ${id}::uuid for update`.execute(tx)
}

export type Selection = { only?: readonly string[]; except?: readonly string[] }

/** A run that applies the same selection, or everything, in which nothing failed. */
export async function findApplicationRun(
  tx: Transaction,
  planId: string,
  selection: Selection,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select run.id from plan_applications as a join maintenance_runs as run on run.id = a.run_id
    where a.plan_id = ${planId}::uuid and run.status not in ('failed', 'cancelled')
      and (run.status <> 'succeeded' or not run.stats ? 'failed')
      and (a.selection = '{}' or a.selection = ${JSON.stringify(selection)}::jsonb)
    order by run.created_at
    limit 1
  `.execute(tx)
  return rows[0]?.id
}

export async function insertApplication(
  tx: Transaction,
  { planId, runId, selection }: { planId: string; runId: string; selection: Selection },
): Promise<void> {
  await tx
    .insertInto('plan_applications')
    .values({ plan_id: planId, run_id: runId, selection: JSON.stringify(selection) })
    .execute()
}

/** Deletes the plan with the dry run that prepared it, and ends that run and its applications if they are open. */
export async function deletePlan(tx: Transaction, id: string, now: Date): Promise<void> {
  await sql`
    with application as (
      update maintenance_runs as run
      set cancel_requested = true, status = case run.status when 'queued' then 'cancelled' else run.status end,
        finished_at = case run.status when 'queued' then ${now}::timestamptz end
      from plan_applications as a
      where a.plan_id = ${id}::uuid and run.id = a.run_id and run.status in ('queued', 'running')
    ), lease as (
      update job_leases set holder = null, run_id = null, expires_at = ${now}::timestamptz where run_id = ${id}::uuid
    ), effect as (
      delete from run_effects where run_id = ${id}::uuid
    )
    delete from maintenance_runs where id = ${id}::uuid
  `.execute(tx)
}

/**
 * Deletes what is kept of plans that expired, at most `limit` plans, and returns how many. A plan is locked before its
 * applications are looked up: a request may have begun to apply it just before it expired.
 */
export async function deleteExpiredPlans(tx: Transaction, now: Date, limit: number): Promise<number> {
  const isDue = sql<SqlBool>`p.expires_at <= ${now}::timestamptz and (
    exists (select from run_effects as e where e.run_id = p.id)
    or exists (select from maintenance_changes as c where c.run_id = p.id and c.planned is not null)
  ) and not exists (
    select from plan_applications as a join maintenance_runs as run on run.id = a.run_id
    where a.plan_id = p.id and run.status in ('queued', 'running')
  )`
  const { rows: locked } = await sql<{ id: string }>`
    select p.id from plans as p where ${isDue} order by p.expires_at limit ${limit} for update skip locked
  `.execute(tx)
  const { rows } = await sql<{ deleted: number }>`
    with expired as (
      select p.id from plans as p where p.id = any(${locked.map(({ id }) => id)}::uuid[]) and ${isDue}
    ), effect as (
      delete from run_effects where run_id in (select id from expired)
    ), change as (
      update maintenance_changes set before = null, after = null, planned = null where run_id in (select id from expired)
    )
    select count(*) as deleted from expired
  `.execute(tx)
  return rows[0]?.deleted ?? 0
}
