import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { Change } from '../../jobs/runs/runs.ts'

/**
 * Finds the run if the worker still has the lease, and locks the lease until the transaction ends. A worker that is
 * paused inside a batch so keeps its lease; one that is paused before it finds the fence of another. A heartbeat does
 * not wait for this lock.
 */
export async function lockFence(
  tx: Transaction,
  lease: { job: string; fence: number; runId: string },
): Promise<{ cancel_requested: boolean } | undefined> {
  return tx
    .selectFrom('job_leases as l')
    .innerJoin('maintenance_runs as m', 'm.id', 'l.run_id')
    .where('l.job', '=', lease.job)
    .where('l.fence', '=', lease.fence)
    .where('l.run_id', '=', lease.runId)
    .where('m.status', '=', 'running')
    .select('m.cancel_requested')
    .forKeyShare('l')
    .executeTakeFirst()
}

/**
 * Adds to the counts instead of setting them, because several workers may share the run. A row that is written moves to
 * another page, where a second worker reads it again: `done` stays within the total. Only where it rises the run came
 * further; a dry run begins again after each loss.
 */
export async function addProgress(
  tx: Transaction,
  { id, done, counts }: { id: string; done: number; counts: Readonly<Record<string, number>> },
): Promise<void> {
  await sql`
    update maintenance_runs
    set done = least(done + ${done}::bigint, total),
      fruitless_attempts = case when dry_run or least(done + ${done}::bigint, total) = done then fruitless_attempts else 0 end,
      stats = stats || coalesce((
        select jsonb_object_agg(name, coalesce((stats ->> name)::bigint, 0) + value::bigint)
        from jsonb_each_text(${JSON.stringify(counts)}::jsonb) as added (name, value)
      ), '{}')
    where id = ${id}
  `.execute(tx)
}

export async function setRunTotal(
  tx: Transaction,
  { id, total, counted }: { id: string; total: number; counted: readonly string[] },
): Promise<void> {
  await tx
    .updateTable('maintenance_runs')
    .set((eb) => ({
      total,
      // A run that another worker continues already has counts.
      stats: sql`${JSON.stringify(Object.fromEntries(counted.map((name) => [name, 0])))}::jsonb || ${eb.ref('stats')}`,
    }))
    .where('id', '=', id)
    .where('total', 'is', null)
    .execute()
}

export async function setRunError(tx: Transaction, id: string, error: string): Promise<void> {
  await tx.updateTable('maintenance_runs').set({ error }).where('id', '=', id).execute()
}

/** A batch that is repeated after a crash lists its changes once. */
export async function insertChanges(
  tx: Transaction,
  runId: string,
  changes: readonly Change[],
): Promise<void> {
  await sql`
    insert into maintenance_changes (run_id, record_id, action, before, after, note)
    select ${runId}::uuid, change.*
    from json_to_recordset(${JSON.stringify(changes)}::json)
      as change (record_id uuid, action text, before jsonb, after jsonb, note text)
    on conflict (run_id, record_id, action) do nothing
  `.execute(tx)
}
