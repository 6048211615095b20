import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { type Transaction, transact } from '../../db/transaction.ts'
import type { JobName } from '../../jobs/job-names.ts'
import type { Announcements } from '../../jobs/queue/announcements.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { addMilliseconds, dayMs } from '../../kernel/units.ts'
import { insertRun } from '../maintenance.queries.ts'
import { insertPlan } from '../plan-rows.queries.ts'
import { advanceSchedule, findDueJobs, lockFreeLease } from './due-jobs.queries.ts'
import type { Observe } from './execution.service.ts'
import type { LeasedRun } from './leased-run.ts'
import { clearLease, endRun, findOpenRun, type OpenRun, startRun, takeLease } from './leases.queries.ts'
import { addRunTotals } from './run-totals.queries.ts'

export type ClaimResources = {
  db: Database
  /** Where leases are renewed, if not over the connections of the work, which may all be in use. */
  heartbeatDb?: Database
  clock: Clock
  ids: Ids
  /** The name of this process in leases and runs. */
  worker: string
  /** The configured milliseconds between scheduled runs; 0 for none. */
  intervals: Readonly<Record<JobName, number>>
  leaseMs?: number
  /** How far the clock may be ahead of that of the database. Without it, as for the clock of a test, they are not compared. */
  maxClockLeadMs?: number | undefined
  /** How long a plan that a schedule prepares can be applied. */
  planRetentionMs?: number
  /** Without them, one call of `runJob` does every due run by itself. */
  announcements?: Pick<Announcements, 'announceFollowUp' | 'announceTick'> | undefined
  /** Called before each step, so that a test can end a process right there. */
  observe?: Observe
}

/** An attempt that came further than all before it does not count: a run that makes progress is continued until it ends. */
const maxFruitlessAttempts = 5
const maxClaims = 5
const claimRetryMs = 20
export const defaultLeaseMs = 30_000
const defaultPlanRetentionMs = 7 * dayMs

/** Takes the lease of a job together with a run of it. */
export function createClaims(resources: ClaimResources) {
  const { db, clock, ids, worker, intervals, announcements } = resources
  const { leaseMs = defaultLeaseMs, planRetentionMs = defaultPlanRetentionMs, observe = () => {} } = resources
  const { maxClockLeadMs = Number.POSITIVE_INFINITY } = resources

  /**
   * A claim finds nothing while another worker's claim holds the row, even if that one took its snapshot before the run
   * was committed. Such a run would wait for the next poll, so the claim is repeated.
   */
  async function claimDueRun(job: JobName): Promise<LeasedRun | undefined> {
    for (let attempt = 1; ; attempt++) {
      const leased = await claim(job)
      if (leased || attempt === maxClaims || !(await isClaimable(job))) return leased
      await sleep(claimRetryMs)
    }
  }

  async function isClaimable(job: JobName): Promise<boolean> {
    const due = await findDueJobs(db, { worker, now: clock.now(), intervals })
    return due.some((found) => found.job === job && found.is_free)
  }

  async function claim(job: JobName): Promise<LeasedRun | undefined> {
    await observe('claiming')
    let nextTick: Date | undefined
    const leased = await transact(db, {}, async (tx) => {
      const now = clock.now()
      const lease = await lockFreeLease(tx, job, now)
      if (!lease) return undefined
      if (now.getTime() - lease.database_time.getTime() > maxClockLeadMs) throw createClockError()
      let run = await findStartableRun(tx, job, now)
      if (!run) {
        nextTick = await insertScheduledRun(tx, job, now)
        run = nextTick && (await findOpenRun(tx, job))
      }
      if (!run) return undefined
      const fence = lease.fence + 1
      const expires_at = addMilliseconds(now, leaseMs)
      await takeLease(tx, { job, holder: worker, run_id: run.id, fence, expires_at })
      await startRun(tx, { id: run.id, worker, now })
      return { ...toLeasedRun(run, fence, run.started_at ?? now), isResumed: run.started_at !== null }
    })
    if (nextTick) void announcements?.announceTick(job, nextTick)
    return leased
  }

  /** A run that was left open by others comes before a run by schedule. */
  async function findStartableRun(tx: Transaction, job: JobName, now: Date): Promise<OpenRun | undefined> {
    for (;;) {
      const run = await findOpenRun(tx, job)
      if (!run || !(await endUnstartable(tx, run, now))) return run
    }
  }

  /** Inserts a run if the schedule is due, and returns when the schedule is due again. */
  async function insertScheduledRun(tx: Transaction, job: JobName, now: Date): Promise<Date | undefined> {
    const schedule = await advanceSchedule(tx, { job, now, interval: intervals[job] })
    if (!schedule) return undefined
    const id = ids.next()
    const dryRun = schedule.mode === 'plan'
    await insertRun(tx, { id, job, trigger: 'schedule', now, dryRun })
    if (dryRun) await insertPlan(tx, { id, expiresAt: addMilliseconds(now, planRetentionMs) })
    return schedule.next_at
  }

  /** Ends a run that must not start, or not again. Returns whether it did. */
  async function endUnstartable(tx: Transaction, run: OpenRun, now: Date): Promise<boolean> {
    const end = chooseEnd(run)
    if (!end) return false
    await endRun(tx, { id: run.id, now, ...end })
    await addRunTotals(tx, run.id)
    await clearLease(tx, run.job, now)
    return true
  }

  return { claimDueRun, isClaimable }
}

/** A run that started goes on although its key is revoked: half of its work would be worse than all of it. */
function chooseEnd(run: OpenRun): Omit<Parameters<typeof endRun>[1], 'id' | 'now'> | undefined {
  if (run.cancel_requested) return { status: 'cancelled' }
  if (run.is_key_revoked && run.started_at === null)
    return { status: 'cancelled', error: 'the key that requested the run was revoked before it started' }
  if (run.fruitless_attempts < maxFruitlessAttempts) return undefined
  return {
    status: 'failed',
    error: `given up: ${maxFruitlessAttempts} workers in a row were lost in it without progress`,
  }
}

/** A run with such a clock would forget what has not faded, and delete what can still be restored. */
function createClockError(): AppError {
  const message = 'The clock of this process is far ahead of that of the database, so it starts no runs.'
  return new AppError('not_ready', message)
}

type RunToLease = Pick<OpenRun, 'id' | 'dry_run' | 'scope' | 'options' | 'traceparent'> & {
  job: string
  is_plan?: boolean
}

/** The changes of the other jobs cannot be taken back. */
const jobsWithEffects: ReadonlySet<string> = new Set<JobName>([
  'decay',
  'consolidate',
  'dream',
  'compress',
  'refresh_importance',
  'undo',
])

export function toLeasedRun(run: RunToLease, fence: number, startedAt: Date): LeasedRun {
  return {
    job: run.job as JobName,
    fence,
    run: {
      id: run.id,
      dryRun: run.dry_run,
      scope: run.scope,
      startedAt,
      traceparent: run.traceparent,
      savesEffects: run.dry_run ? run.is_plan === true : jobsWithEffects.has(run.job),
      // Only checked JSON is stored.
      options: run.options as LeasedRun['run']['options'],
    },
  }
}
