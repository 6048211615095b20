import type { Database } from '../../db/connection.ts'
import type { CallContext } from '../../db/transaction.ts'
import { requireFullTrust } from '../../domain/trust/trust.ts'
import { type JobName, schedulableJobs } from '../../jobs/job-names.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type AppError, createFaultError } from '../../kernel/errors.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { dayMs, formatDuration, parseDuration } from '../../kernel/units.ts'
import { listSchedules, upsertSchedule } from './schedules.queries.ts'
import type { Schedule, ScheduleChoice } from './schedules.schemas.ts'

/** The configured milliseconds between scheduled runs; 0 for none. */
export type Intervals = Readonly<Record<JobName, number>>

type Resources = { db: Database; clock: Clock; intervals: Intervals }

export type SchedulesService = ReturnType<typeof createSchedulesService>

/** More often, a job would mostly check whether there is work. */
const shortestMs = 10_000
const longestMs = 3_650 * dayMs

/** Returns the service of the schedules of jobs: how often each runs by itself. */
export function createSchedulesService({ db, clock, intervals }: Resources) {
  async function list(call: CallContext): Promise<{ items: Schedule[] }> {
    const rows = new Map((await listSchedules(call.tx ?? db)).map((row) => [row.job, row]))
    return {
      items: schedulableJobs.map((job) => presentSchedule(job, rows.get(job), intervals[job])),
    }
  }

  /** Sets the chosen fields of the schedule of a job. */
  async function set(call: CallContext, job: JobName, choice: ScheduleChoice): Promise<Schedule> {
    requireFullTrust(call.caller)
    const { items } = await list(call)
    const current = items.find((schedule) => schedule.job === job)
    const { interval: named, ...switches } = choice
    const interval = named ?? current?.interval ?? ''
    const interval_ms = parseDuration(interval) ?? 0
    if (interval_ms < shortestMs || interval_ms > longestMs) throw createOutOfRangeError()
    const otherwise = { interval_ms, enabled: current?.enabled ?? true, mode: current?.mode ?? 'run' }
    const chosen = { ...switches, ...(named === undefined ? {} : { interval_ms }) }
    await upsertSchedule(call.tx ?? db, { job, chosen, otherwise, now: clock.now() })
    const changed = (await list(call)).items.find((schedule) => schedule.job === job)
    return changed ?? { job, enabled: true, mode: 'run', ...choice, interval }
  }

  return { list, set }
}

type ScheduleRow = {
  interval_ms: number | null
  enabled: boolean
  mode: string
  last_success_at: Date | null
  next_at: Date
}

/** A job without a row or an interval of its own has the configured interval, in which 0 is never. */
function presentSchedule(job: string, row: ScheduleRow | undefined, configuredMs: number): Schedule {
  const intervalMs = row?.interval_ms ?? configuredMs
  const enabled = (row?.enabled ?? true) && intervalMs > 0
  return omitNulls({
    job,
    interval: formatDuration(intervalMs),
    enabled,
    mode: row?.mode === 'plan' ? 'plan' : 'run',
    last_success_at: row?.last_success_at?.toISOString(),
    next_at: enabled ? row?.next_at.toISOString() : null,
  })
}

function createOutOfRangeError(): AppError {
  return createFaultError('The interval of a schedule must be from 10 seconds to 3,650 days.', {
    pointer: '/interval',
    message: 'must be from 10s to 3650d',
  })
}
