import { sql } from 'kysely'
import type { Database } from './connection.ts'

/**
 * A writer that reads the clock first waits at most 5 s for a connection, and then begins its transaction. This covers
 * that wait, and the difference between the clocks of two processes.
 */
export const slackMs = 10_000

/**
 * The instant up to which the statements that follow see every write: what commits later has a later `updated_at`.
 * The caller reads `now` before it asks. A transaction that has written nothing yet counts too, since it may have read
 * the clock already. A run writes as of its start, so it counts from there until it has ended; it is looked for after
 * the transactions, so that one that has just committed its start is seen.
 */
export async function findVisibleHorizon(db: Database, now: Date): Promise<Date> {
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

/** What a client that polls asks for next: never before the time that it asked for now. */
export function nextPollAfter(asked: string | undefined, settled: Date): string {
  const before = asked === undefined ? 0 : Date.parse(asked)
  return new Date(Math.max(before, settled.getTime())).toISOString()
}
