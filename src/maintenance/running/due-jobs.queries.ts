import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'

/**
 * Longer than any lease, and than clocks may disagree by. What is set for a time further ahead was set by a clock that
 * has been put right since, and would hold a job up until that time comes.
 */
const ahead = sql.lit('10 minutes')

function isLapsed(now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    expires_at <= ${now}::timestamptz or expires_at > ${now}::timestamptz + ${ahead}::interval
  )`
}

/** `interval` is the configuration's, in milliseconds. */
function isDue(now: Date, interval: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    enabled and coalesce(interval_ms, ${interval}) > 0 and (
      next_at <= ${now}::timestamptz
      or next_at > ${now}::timestamptz + ${ahead}::interval
        + coalesce(interval_ms, ${interval}) * interval '1 millisecond'
    )
  )`
}

/**
 * Jobs with something to do for `worker`: a run that waits, a schedule that is due, a run whose worker has gone,
 * or one that can be shared. `intervals` are the configuration's.
 */
export async function findDueJobs(
  db: Database,
  { worker, now, intervals }: { worker: string; now: Date; intervals: Readonly<Record<string, number>> },
): Promise<string[]> {
  const interval = sql`coalesce((${JSON.stringify(intervals)}::jsonb ->> job)::bigint, 0)`
  const { rows } = await sql<{ job: string }>`
    select job from job_leases join job_schedules using (job)
    where case when holder is null or ${isLapsed(now)} then
      ${isDue(now, interval)}
      or exists (
        select from maintenance_runs
        where maintenance_runs.job = job_leases.job and status in ('queued', 'running')
      )
    else
      holder <> ${worker} and exists (
        select from maintenance_ranges where maintenance_ranges.run_id = job_leases.run_id and not done
      )
    end
    order by job
  `.execute(db)
  return rows.map(({ job }) => job)
}

/**
 * Undefined when another worker looks at it, or has a batch under way. The strong lock waits for nobody: batches
 * hold a weaker one, so a lease passes on only between two of them.
 */
export async function lockFreeLease(tx: Transaction, job: string, now: Date) {
  return tx
    .selectFrom('job_leases')
    .where('job', '=', job)
    .where(({ eb, or }) => or([eb('holder', 'is', null), isLapsed(now)]))
    .select(['fence'])
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** Moves a due schedule on and answers true; `interval` is the configuration's. */
export async function advanceSchedule(
  tx: Transaction,
  { job, now, interval }: { job: string; now: Date; interval: number },
): Promise<boolean> {
  const { rows } = await sql`
    update job_schedules
    set next_at = ${now}::timestamptz
      + coalesce(interval_ms, ${interval}::bigint) * interval '1 millisecond'
    where job = ${job} and ${isDue(now, sql`${interval}::bigint`)}
    returning job
  `.execute(tx)
  return rows.length > 0
}
