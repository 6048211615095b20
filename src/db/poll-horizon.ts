import { sql } from 'kysely'
import type { Database } from './connection.ts'
import { readFromPrimary } from './request-scope.ts'

/**
 * A request reads the clock, waits at most 5 s for a connection and begins its transaction. This covers that wait and
 * the difference between the clocks of two processes. A job waits longer, but reads the clock within its transaction, or
 * writes with the time of its run.
 */
export const slackMs = 10_000

/**
 * The instant up to which later statements see every write: what commits later has a later `updated_at`. The caller
 * reads `now` before the call. A transaction that has not written yet counts too, because it may have read the clock
 * already. A run writes with the time of its start, so it counts until it ends. Runs are read after the transactions,
 * so that a run that has just committed its start is included.
 */
export async function findVisibleHorizon(db: Database, now: Date): Promise<Date> {
  // A replica does not know the transactions of the primary, and what follows must not be older than these.
  readFromPrimary()
  const oldest = await sql<{ age_ms: number }>`
    select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 * 1000 as age_ms
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
  `.execute(db)
  const { started_at: run } = await db
    .selectFrom('maintenance_runs')
    .where('status', 'in', ['queued', 'running'])
    .where('started_at', 'is not', null)
    .where('dry_run', '=', false)
    .select((eb) => eb.fn.min('started_at').as('started_at'))
    .executeTakeFirstOrThrow()
  const begun = now.getTime() - Math.max(0, oldest.rows[0]?.age_ms ?? 0)
  return new Date(Math.floor(Math.min(begun, run?.getTime() ?? begun)) - slackMs)
}

/** The `updated_after` of the next poll, never before that of this one. */
export function chooseNextPoll(requested: string | undefined, horizon: Date): string {
  const before = requested === undefined ? 0 : Date.parse(requested)
  return new Date(Math.max(before, horizon.getTime())).toISOString()
}
