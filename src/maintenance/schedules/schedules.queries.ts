import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { addMilliseconds } from '../../kernel/units.ts'

export async function listSchedules(db: Database) {
  return db
    .selectFrom('job_schedules')
    .select(['job', 'interval_ms', 'enabled', 'mode', 'last_success_at', 'next_at'])
    .orderBy('job')
    .execute()
}

export type ScheduleFields = { interval_ms: number; enabled: boolean; mode: string }
type NewSchedule = { job: string; chosen: Partial<ScheduleFields>; otherwise: ScheduleFields; now: Date }

/**
 * Sets the chosen fields. The others keep their stored values, also those that another request sets at the same time; without a
 * stored one they are `otherwise`. The next run is one interval from now, because a request for a rarer run does not mean a run at
 * once.
 */
export async function upsertSchedule(
  db: Database,
  { job, chosen, otherwise, now }: NewSchedule,
): Promise<void> {
  const first = { ...otherwise, ...chosen }
  const interval = sql<number>`coalesce(${chosen.interval_ms ?? null}::int8, job_schedules.interval_ms, ${otherwise.interval_ms}::int8)`
  await db
    .insertInto('job_schedules')
    .values({ job, ...first, next_at: addMilliseconds(now, first.interval_ms) })
    .onConflict((conflict) =>
      conflict.column('job').doUpdateSet({
        ...chosen,
        interval_ms: interval,
        next_at: sql<Date>`${now}::timestamptz + ${interval} * interval '1 millisecond'`,
      }),
    )
    .execute()
}
