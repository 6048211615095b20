import type { Database } from '../db/connection.ts'
import { type JobName, jobNames } from '../jobs/job-names.ts'
import { type Poll, startPoll } from '../jobs/poll.ts'
import type { Announcements } from '../jobs/queue/announcements.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { findDueJobs, findNextLapse } from './running/due-jobs.queries.ts'
import { ensureJobRows } from './running/leases.queries.ts'
import type { Runner } from './running/runner.service.ts'
import { listSchedules } from './schedules/schedules.queries.ts'
import type { Intervals } from './schedules/schedules.service.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  worker: string
  runner: Runner
  intervals: Intervals
  announcements?: Pick<Announcements, 'announceTick'> | undefined
  everyMs?: number | undefined
}

/** The queue starts a run within milliseconds, so the poll is rare: it only finds what the queue has lost. */
const usualPollMs = 30_000
/** Many leases that lapse one after another must not make the poll busy. */
const minPauseMs = 1_000

/** Returns a function that finds the jobs with something to do. */
export function createDueJobs({
  db,
  clock,
  worker,
  intervals,
}: Pick<Resources, 'db' | 'clock' | 'worker' | 'intervals'>) {
  let isPrepared = false
  return async function findDue(): Promise<JobName[]> {
    if (!isPrepared) await ensureJobRows(db, jobNames, clock.now())
    isPrepared = true
    const due = await findDueJobs(db, { worker, now: clock.now(), intervals })
    return jobNames.filter((name) => due.some(({ job }) => job === name))
  }
}

/**
 * The safety net below the queue. It finds runs and ticks whose message was lost, and runs whose worker is gone, and
 * does them without the queue, which may be down. It also announces each tick again, in case the queue was emptied.
 */
export function startDueJobsPoll(resources: Resources): Poll {
  const { db, clock, log, runner, intervals, announcements, everyMs = usualPollMs } = resources
  const running = new Set<Promise<unknown>>()
  const findDue = createDueJobs(resources)

  async function look(signal: AbortSignal): Promise<number> {
    const startedAt = clock.now()
    for (const name of await findDue()) run(name, signal)
    await announceTicks()
    return computePause(startedAt)
  }

  /**
   * Looks when a lease may lapse, so that the run of a worker that was killed continues right then. A lease that lapsed
   * during the look counts too, because the look may have read it before.
   */
  async function computePause(lookStartedAt: Date): Promise<number> {
    const lapsesAt = await findNextLapse(db, lookStartedAt)
    return lapsesAt ? Math.max(minPauseMs, lapsesAt.getTime() - clock.now().getTime()) : everyMs
  }

  /** The poll does not wait for the run: a long run of one job must not hide the other jobs. */
  function run(job: JobName, signal: AbortSignal): void {
    const ended = runner
      .runJob(job, signal)
      .catch((error) => log.warn('a job that the poll found failed', { job, err: error }))
      .finally(() => running.delete(ended))
    running.add(ended)
  }

  async function announceTicks(): Promise<void> {
    if (!announcements) return
    for (const { job, interval_ms, enabled, next_at } of await listSchedules(db)) {
      const name = jobNames.find((name) => name === job)
      if (!name || !enabled || (interval_ms ?? intervals[name]) === 0) continue
      if (next_at > clock.now()) void announcements.announceTick(name, next_at)
    }
  }

  const poll = startPoll({
    everyMs,
    look,
    onError: (error) => log.warn('the poll for due jobs failed', { err: error }),
  })
  return {
    stop: () =>
      poll
        .stop()
        .then(() => Promise.all(running))
        .then(() => {}),
  }
}
