import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'

/**
 * Longer than any lease and any difference between clocks. A lease or schedule that is set further ahead comes from a
 * clock that was wrong and is corrected by now; without this limit the job would wait until that time.
 */
const ahead = sql.lit('10 minutes')

function isLapsed(now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    expires_at <= ${now}::timestamptz or expires_at > ${now}::timestamptz + ${ahead}::interval
  )`
}

/** `interval` is the configured one, in milliseconds. */
function isDue(now: Date, interval: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    enabled and coalesce(interval_ms, ${interval}) > 0 and (
      next_at <= ${now}::timestamptz
      or next_at > ${now}::timestamptz + ${ahead}::interval
        + coalesce(interval_ms, ${interval}) * interval '1 millisecond'
    )
  )`
}

export type DueJob = {
  job: string
  /** A worker may claim a run of it. Otherwise another worker leads a run that has parts to share. */
  is_free: boolean
}

/**
 * Jobs with something to do for `worker`: a queued run, a due schedule, a run whose worker is gone, or a run with parts
 * to share. `intervals` are the configured ones.
 */
export async function findDueJobs(
  db: Database,
  { worker, now, intervals }: { worker: string; now: Date; intervals: Readonly<Record<string, number>> },
): Promise<DueJob[]> {
  const interval = sql`coalesce((${JSON.stringify(intervals)}::jsonb ->> job)::bigint, 0)`
  const { rows } = await sql<DueJob>`
    select job, holder is null or ${isLapsed(now)} as is_free
    from job_leases join job_schedules using (job)
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
  return rows
}

/** When the first of the leases that workers hold lapses, if no heartbeat renews it. */
export async function findNextLapse(db: Database, now: Date): Promise<Date | null> {
  const { lapses_at } = await db
    .selectFrom('job_leases')
    .where('holder', 'is not', null)
    .where('expires_at', '>', now)
    .select(({ fn }) => fn.min<Date | null>('expires_at').as('lapses_at'))
    .executeTakeFirstOrThrow()
  return lapses_at
}

/**
 * Undefined when another worker claims the job at this moment, or has a batch in progress. Each batch holds a weaker
 * lock on this row, so an expired lease is taken over only between two batches. This lock does not wait, because a
 * paused worker may hold its batch open for minutes. `database_time` is the time of the database.
 */
export async function lockFreeLease(tx: Transaction, job: string, now: Date) {
  return tx
    .selectFrom('job_leases')
    .where('job', '=', job)
    .where(({ eb, or }) => or([eb('holder', 'is', null), isLapsed(now)]))
    .select(['fence', sql<Date>`clock_timestamp()`.as('database_time')])
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** Moves a due schedule to its next time and returns it; `interval` is the configured one. */
export async function advanceSchedule(
  tx: Transaction,
  { job, now, interval }: { job: string; now: Date; interval: number },
): Promise<{ next_at: Date; mode: string } | undefined> {
  const { rows } = await sql<{ next_at: Date; mode: string }>`
    update job_schedules
    set next_at = ${now}::timestamptz
      + coalesce(interval_ms, ${interval}::bigint) * interval '1 millisecond'
    where job = ${job} and ${isDue(now, sql`${interval}::bigint`)}
    returning next_at, mode
  `.execute(tx)
  return rows[0]
}
