import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'

export type OpenRun = {
  id: string
  job: string
  dry_run: boolean
  scope: string | null
  options: unknown
  cancel_requested: boolean
  /** How often a worker started the run since it last came further. */
  fruitless_attempts: number
  status: string
  started_at: Date | null
  traceparent: string | null
  is_key_revoked: boolean
  /** A dry run whose effects are kept, to be applied later. */
  is_plan: boolean
}

const claimedColumns = [
  'id',
  'job',
  'dry_run',
  'scope',
  'options',
  'cancel_requested',
  'fruitless_attempts',
  'status',
  'started_at',
  'traceparent',
] as const

/** Inserts the rows of each job that a worker locks and reads. They stay for ever. */
export async function ensureJobRows(db: Database, jobs: readonly string[], now: Date): Promise<void> {
  await db
    .insertInto('job_leases')
    .values(jobs.map((job) => ({ job, holder: null, run_id: null, fence: 0, expires_at: now })))
    .onConflict((conflict) => conflict.column('job').doNothing())
    .execute()
  await db
    .insertInto('job_schedules')
    .values(jobs.map((job) => ({ job, interval_ms: null, enabled: true, next_at: now })))
    .onConflict((conflict) => conflict.column('job').doNothing())
    .execute()
}

export async function takeLease(
  tx: Transaction,
  { job, ...lease }: { job: string; holder: string; run_id: string; fence: number; expires_at: Date },
): Promise<void> {
  await tx.updateTable('job_leases').set(lease).where('job', '=', job).execute()
}

/** For a run that is ended from outside: a worker that still works on it finds that it has lost the lease. */
export async function clearLease(tx: Transaction, job: string, now: Date): Promise<void> {
  await tx
    .updateTable('job_leases')
    .set({ holder: null, run_id: null, expires_at: now })
    .where('job', '=', job)
    .execute()
}

/** False when another worker has the lease. */
export async function renewLease(
  db: Database,
  lease: { job: string; fence: number; runId: string; expiresAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job_leases')
    .set({ expires_at: lease.expiresAt })
    .where('job', '=', lease.job)
    .where('fence', '=', lease.fence)
    .where('run_id', '=', lease.runId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** False when the lease was already lost. */
export async function releaseLease(
  tx: Transaction,
  lease: { job: string; fence: number; runId: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('job_leases')
    .set({ holder: null, run_id: null, expires_at: lease.now })
    .where('job', '=', lease.job)
    .where('fence', '=', lease.fence)
    .where('run_id', '=', lease.runId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** A run that its worker left running comes first, then the one that has waited longest. */
export async function findOpenRun(tx: Transaction, job: string): Promise<OpenRun | undefined> {
  return tx
    .selectFrom('maintenance_runs')
    .where('job', '=', job)
    .where('status', 'in', ['queued', 'running'])
    .select(claimedColumns)
    .select(
      sql<boolean>`exists (
        select from api_keys where api_keys.id::text = requested_by and revoked_at is not null
      )`.as('is_key_revoked'),
    )
    .select(sql<boolean>`exists (select from plans where plans.id = maintenance_runs.id)`.as('is_plan'))
    .orderBy(sql`status = 'running'`, 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}

/** The run that another worker leads, if it has parts that are not done. */
export async function findSharedRun(db: Database, { job, worker }: { job: string; worker: string }) {
  return db
    .selectFrom('job_leases as l')
    .innerJoin('maintenance_runs as m', 'm.id', 'l.run_id')
    .where('l.job', '=', job)
    .where('l.holder', '<>', worker)
    .where('m.status', '=', 'running')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('maintenance_ranges as part')
          .whereRef('part.run_id', '=', 'm.id')
          .where('part.done', '=', false)
          .select('part.run_id'),
      ),
    )
    .select([
      'm.id',
      'm.job',
      'm.dry_run',
      'm.scope',
      'm.options',
      'm.started_at',
      'm.traceparent',
      'l.fence',
    ])
    .executeTakeFirst()
}

export async function startRun(
  tx: Transaction,
  { id, worker, now }: { id: string; worker: string; now: Date },
): Promise<void> {
  await tx
    .updateTable('maintenance_runs')
    .set((eb) => ({
      status: 'running',
      worker,
      attempts: eb('attempts', '+', 1),
      fruitless_attempts: eb('fruitless_attempts', '+', 1),
      started_at: eb.fn.coalesce('started_at', eb.val(now)),
    }))
    .where('id', '=', id)
    .execute()
}

/** A worker that stops on request has not failed, so its attempt does not count. */
export async function requeueRun(tx: Transaction, id: string): Promise<void> {
  await tx
    .updateTable('maintenance_runs')
    .set((eb) => ({
      status: 'queued',
      worker: null,
      attempts: eb('attempts', '-', 1),
      // It is 0 if the run came further in this attempt.
      fruitless_attempts: sql<number>`greatest(fruitless_attempts - 1, 0)`,
    }))
    .where('id', '=', id)
    .execute()
}

export async function endRun(
  tx: Transaction,
  {
    id,
    ...end
  }: { id: string; status: 'succeeded' | 'failed' | 'cancelled'; now: Date; error?: string | undefined },
): Promise<void> {
  await tx
    .updateTable('maintenance_runs')
    .set({ status: end.status, finished_at: end.now, error: end.error })
    .where('id', '=', id)
    .execute()
  await tx.deleteFrom('maintenance_ranges').where('run_id', '=', id).execute()
  await deleteDryRunEffects(tx, id)
}

/** Deletes the rows that a dry run kept for its own later batches. Those of a plan stay. */
async function deleteDryRunEffects(tx: Transaction, id: string): Promise<void> {
  await sql`
    delete from run_effects where run_id = ${id}::uuid
      and exists (select from maintenance_runs as m where m.id = ${id}::uuid and m.dry_run)
      and not exists (select from plans as p where p.id = ${id}::uuid)
  `.execute(tx)
}

/** Call it only for a run over all records that succeeded: the time says when the job last processed the whole store. */
export async function setLastSuccess(tx: Transaction, job: string, now: Date): Promise<void> {
  await tx.updateTable('job_schedules').set({ last_success_at: now }).where('job', '=', job).execute()
}
