import type { Database } from '../../db/connection.ts'
import { isOutage } from '../../db/failures.ts'
import { type Transaction, transact } from '../../db/transaction.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { type JobWork, RunEnded } from '../../jobs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import { describeError, type Logger } from '../../kernel/log.ts'
import { inSpan, parseTraceparent, type Tracer } from '../../kernel/span.ts'
import { insertRun } from '../maintenance.queries.ts'
import { createRunContext, type LeasedRun, type Observe } from './batches.service.ts'
import { advanceSchedule, lockFreeLease } from './due-jobs.queries.ts'
import {
  clearLease,
  endRun,
  ensureJobRows,
  findOpenRun,
  findSharedRun,
  type OpenRun,
  releaseLease,
  renewLease,
  requeueRun,
  setLastSuccess,
  startRun,
  takeLease,
} from './leases.queries.ts'
import { addRunTotals } from './run-totals.queries.ts'

export type JobWorks = { readonly [Name in JobName]: JobWork }

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  /** Names this process in leases and runs. */
  worker: string
  works: JobWorks
  /** Milliseconds between scheduled runs by the configuration; 0 for none. */
  intervals: Readonly<Record<JobName, number>>
  leaseMs?: number
  tracer?: Tracer | undefined
  /** Told where a run stands before each step, so that a test can end a process right there. */
  observe?: Observe
}

export type Runner = ReturnType<typeof createRunner>

const mostAttempts = 5

/**
 * Works off the runs of a job. That it is called says nothing but that there may be something to do: the
 * database decides, so it may be called twice, late, or by every worker at once.
 */
export function createRunner(resources: Resources) {
  const { db, clock, ids, log, worker, works, intervals, leaseMs = 30_000, observe = () => {} } = resources
  const prepared = new Set<JobName>()
  const attending = new Map<JobName, Promise<number>>()

  /** Resolves with how many runs it had a part in, when there is nothing left to do. */
  function attend(job: JobName, signal: AbortSignal): Promise<number> {
    const running = attending.get(job)
    if (running) return running
    const attended = workOff(job, signal).finally(() => attending.delete(job))
    attending.set(job, attended)
    return attended
  }

  async function workOff(job: JobName, signal: AbortSignal): Promise<number> {
    if (!prepared.has(job)) await ensureJobRows(db, [job], clock.now())
    prepared.add(job)
    let runs = 0
    while (!signal.aborted) {
      const held = await claim(job)
      if (!held) break
      await trace(held, () => lead(held, signal))
      runs++
    }
    return signal.aborted ? runs : runs + (await help(job, signal))
  }

  /** A part of the trace of who asked for the run; a run by schedule is a trace of its own. */
  function trace(held: LeasedRun, work: () => Promise<void>): Promise<void> {
    const parent = parseTraceparent(held.run.traceparent ?? '')
    const attributes = { 'membrane.job': held.job, 'membrane.run_id': held.run.id }
    return inSpan(resources.tracer, `job ${held.job}`, { kind: 'consumer', parent, attributes }, work)
  }

  async function claim(job: JobName): Promise<LeasedRun | undefined> {
    await observe('claiming')
    return transact(db, {}, async (tx) => {
      const now = clock.now()
      const lease = await lockFreeLease(tx, job, now)
      if (!lease) return undefined
      const run = await findNextRun(tx, job, now)
      if (!run) return undefined
      const fence = lease.fence + 1
      const expires_at = new Date(now.getTime() + leaseMs)
      await takeLease(tx, { job, holder: worker, run_id: run.id, fence, expires_at })
      await startRun(tx, { id: run.id, worker, now })
      return holdOf(run, fence, run.started_at ?? now)
    })
  }

  /** What was left by others comes first; a schedule that is due makes a run of its own. */
  async function findNextRun(tx: Transaction, job: JobName, now: Date): Promise<OpenRun | undefined> {
    for (;;) {
      const run = await findOpenRun(tx, job)
      if (run && !(await endHopeless(tx, run, now))) return run
      if (run) continue
      if (!(await advanceSchedule(tx, { job, now, interval: intervals[job] }))) return undefined
      await insertRun(tx, { id: ids.next(), job, trigger: 'schedule', now })
    }
  }

  /** Of a run that nobody is to take up again: it was cancelled, or has cost too many workers. */
  async function endHopeless(tx: Transaction, run: OpenRun, now: Date): Promise<boolean> {
    const isHopeless = run.attempts >= mostAttempts
    if (run.cancel_requested) await endRun(tx, { id: run.id, status: 'cancelled', now })
    else if (isHopeless) {
      const error = `given up: ${mostAttempts} workers were lost in it`
      await endRun(tx, { id: run.id, status: 'failed', now, error })
    }
    if (!run.cancel_requested && !isHopeless) return false
    await addRunTotals(tx, run.id)
    await clearLease(tx, run.job, now)
    return true
  }

  async function lead(held: LeasedRun, outer: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const heartbeat = setInterval(() => {
      renew(held).then(
        (isSatisfied) => isSatisfied || lost.abort(),
        // A heartbeat that fails is repeated; a lease that lapses meanwhile is found out by the next batch.
        () => {},
      )
    }, leaseMs / 3)
    try {
      await conclude(held, await outcomeOf(held, AbortSignal.any([outer, lost.signal])))
    } catch (error) {
      // The run stays as it is until its lease lapses: that pause is what an outage needs.
      if (!(error instanceof RunEnded)) log.error('a run was interrupted', { ...idsOf(held), err: error })
    } finally {
      clearInterval(heartbeat)
    }
  }

  type Outcome = { status: 'succeeded' | 'cancelled' | 'queued' } | { status: 'failed'; error: string }

  async function outcomeOf(held: LeasedRun, signal: AbortSignal): Promise<Outcome> {
    try {
      await works[held.job].run(createRunContext({ db, clock, observe, held, signal }))
      return { status: 'succeeded' }
    } catch (error) {
      if (error instanceof RunEnded) return outcomeOfEnd(error)
      if (isOutage(error)) throw error
      log.error('a run failed', { ...idsOf(held), err: error })
      const { type, message } = describeError(error)
      return { status: 'failed', error: `${type}: ${message}` }
    }
  }

  function outcomeOfEnd(ended: RunEnded): Outcome {
    if (ended.reason === 'lease lost') throw ended
    return { status: ended.reason === 'cancelled' ? 'cancelled' : 'queued' }
  }

  async function conclude(held: LeasedRun, outcome: Outcome): Promise<void> {
    await observe('concluding')
    await transact(db, {}, async (tx) => {
      const now = clock.now()
      if (!(await releaseLease(tx, { ...leaseOf(held), now }))) throw new RunEnded('lease lost')
      if (outcome.status === 'queued') return requeueRun(tx, held.run.id)
      const error = outcome.status === 'failed' ? { error: outcome.error } : {}
      await endRun(tx, { id: held.run.id, now, status: outcome.status, ...error })
      await addRunTotals(tx, held.run.id)
      const isWhole = !held.run.dryRun && held.run.scope === null
      if (outcome.status === 'succeeded' && isWhole) await setLastSuccess(tx, held.job, now)
    })
    log.info('run ended', { ...idsOf(held), status: outcome.status })
    await observe('concluded')
  }

  /** A helper's faults are nobody's but its own: what it leaves undone, the leader does. */
  async function help(job: JobName, signal: AbortSignal): Promise<number> {
    const work = works[job].help
    const shared = work && (await findSharedRun(db, job))
    if (!work || !shared) return 0
    const held = holdOf({ ...shared, job }, shared.fence, shared.started_at ?? clock.now())
    try {
      await trace(held, () => work(createRunContext({ db, clock, observe, held, signal })))
    } catch (error) {
      if (!(error instanceof RunEnded)) log.warn('help with a run failed', { ...idsOf(held), err: error })
    }
    return 1
  }

  function renew(held: LeasedRun): Promise<boolean> {
    const expiresAt = new Date(clock.now().getTime() + leaseMs)
    return renewLease(db, { ...leaseOf(held), expiresAt })
  }

  return { attend }
}

type Holdable = Pick<OpenRun, 'id' | 'dry_run' | 'scope' | 'options' | 'traceparent'> & { job: string }

function holdOf(run: Holdable, fence: number, startedAt: Date): LeasedRun {
  return {
    job: run.job as JobName,
    fence,
    run: {
      ...{ id: run.id, dryRun: run.dry_run, scope: run.scope, startedAt, traceparent: run.traceparent },
      // Only checked JSON is stored.
      options: run.options as LeasedRun['run']['options'],
    },
  }
}

function leaseOf({ job, fence, run }: LeasedRun) {
  return { job, fence, runId: run.id }
}

function idsOf({ job, run }: LeasedRun) {
  const trace = parseTraceparent(run.traceparent ?? '')
  return { job, run_id: run.id, ...(trace ? { trace_id: trace.traceId } : {}) }
}
