import { isOutage } from '../../db/failures.ts'
import { transact } from '../../db/transaction.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { type JobWork, RunEnded } from '../../jobs/runs/runs.ts'
import { describeError, type Logger } from '../../kernel/log.ts'
import { parseTraceparent, runInSpan, type Tracer } from '../../kernel/span.ts'
import { addMilliseconds } from '../../kernel/units.ts'
import { type ClaimResources, createClaims, defaultLeaseMs, toLeasedRun } from './claims.service.ts'
import { createExecution } from './execution.service.ts'
import type { LeasedRun } from './leased-run.ts'
import {
  endRun,
  ensureJobRows,
  findSharedRun,
  releaseLease,
  renewLease,
  requeueRun,
  setLastSuccess,
} from './leases.queries.ts'
import { addRunTotals } from './run-totals.queries.ts'

export type JobWorks = { readonly [Name in JobName]: JobWork }

type Resources = ClaimResources & { log: Logger; jobWorks: JobWorks; tracer?: Tracer | undefined }

export type Runner = ReturnType<typeof createRunner>

/** Does the runs of a job. The database decides what is due, so any worker may call it at any time, and twice. */
export function createRunner(resources: Resources) {
  const { db, clock, log, worker, jobWorks, announcements, heartbeatDb = db } = resources
  const { leaseMs = defaultLeaseMs, observe = () => {} } = resources
  const { claimDueRun, isClaimable } = createClaims(resources)
  const prepared = new Set<JobName>()
  const helping = new Set<JobName>()

  /**
   * Does what is due of a job, and helps with a run of another worker. Resolves with the number of runs that it took
   * part in. `showRun` gets the id of each run that starts here.
   */
  async function runJob(
    job: JobName,
    signal: AbortSignal,
    showRun: (runId: string) => void = () => {},
  ): Promise<number> {
    if (!prepared.has(job)) await ensureJobRows(db, [job], clock.now())
    prepared.add(job)
    let runs = 0
    while (!signal.aborted) {
      const leased = await claimDueRun(job)
      if (!leased) break
      showRun(leased.run.id)
      await trace(leased, () => lead(leased, signal))
      runs++
      if (await handOver(job)) return runs
    }
    return signal.aborted ? runs : runs + (await help(job, signal))
  }

  /** True when the queue carries the next run, so that the board shows each run as a message of its own. */
  async function handOver(job: JobName): Promise<boolean> {
    if (!announcements || !(await isClaimable(job))) return false
    return announcements.announceFollowUp(job)
  }

  /** A requested run is part of the trace of its request; a scheduled run is a trace of its own. */
  function trace(leased: LeasedRun, work: () => Promise<void>): Promise<void> {
    const parent = parseTraceparent(leased.run.traceparent ?? '')
    const attributes = { 'membrane.job': leased.job, 'membrane.run_id': leased.run.id }
    return runInSpan(resources.tracer, `job ${leased.job}`, { kind: 'consumer', parent, attributes }, work)
  }

  async function lead(leased: LeasedRun, outer: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const heartbeat = setInterval(() => {
      renew(leased).then(
        (isRenewed) => isRenewed || lost.abort(),
        // The next heartbeat tries again. If the lease lapses before, the next batch finds out.
        () => {},
      )
    }, leaseMs / 3)
    try {
      await conclude(leased, await findOutcome(leased, AbortSignal.any([outer, lost.signal])))
    } catch (error) {
      // The run stays open until its lease lapses, which gives an outage time to end.
      if (!(error instanceof RunEnded)) log.error('a run was interrupted', { ...getIds(leased), err: error })
    } finally {
      clearInterval(heartbeat)
    }
  }

  type Outcome = { status: 'succeeded' | 'cancelled' | 'queued' } | { status: 'failed'; error: string }

  async function findOutcome(leased: LeasedRun, signal: AbortSignal): Promise<Outcome> {
    const work = jobWorks[leased.job]
    const batchesDepend = work.batchesDepend?.(leased.run) ?? false
    const execution = createExecution({ db, observe, leased, signal, batchesDepend })
    try {
      await execution.begin(leased.isResumed ?? false)
      await work.run(execution.context)
      await execution.finish()
      return { status: 'succeeded' }
    } catch (error) {
      if (error instanceof RunEnded) return describeEnd(error)
      if (isOutage(error)) throw error
      log.error('a run failed', { ...getIds(leased), err: error })
      const { type, message } = describeError(error)
      return { status: 'failed', error: `${type}: ${message}` }
    } finally {
      await execution.release()
    }
  }

  function describeEnd(ended: RunEnded): Outcome {
    if (ended.reason === 'lease lost') throw ended
    return { status: ended.reason === 'cancelled' ? 'cancelled' : 'queued' }
  }

  async function conclude(leased: LeasedRun, outcome: Outcome): Promise<void> {
    await observe('concluding')
    await transact(db, {}, async (tx) => {
      const now = clock.now()
      if (!(await releaseLease(tx, { ...getLease(leased), now }))) throw new RunEnded('lease lost')
      if (outcome.status === 'queued') return requeueRun(tx, leased.run.id)
      const error = outcome.status === 'failed' ? { error: outcome.error } : {}
      await endRun(tx, { id: leased.run.id, now, status: outcome.status, ...error })
      await addRunTotals(tx, leased.run.id)
      const isWhole = !leased.run.dryRun && leased.run.scope === null
      if (outcome.status === 'succeeded' && isWhole) await setLastSuccess(tx, leased.job, now)
    })
    log.info('run ended', { ...getIds(leased), status: outcome.status })
    await observe('concluded')
  }

  /** A helper that fails does not fail the run: the leader does the parts that the helper left. */
  async function help(job: JobName, signal: AbortSignal): Promise<number> {
    const work = jobWorks[job].help
    if (!work || helping.has(job)) return 0
    const shared = await findSharedRun(db, { job, worker })
    if (!shared) return 0
    const leased = toLeasedRun({ ...shared, job }, shared.fence, shared.started_at ?? clock.now())
    helping.add(job)
    try {
      await trace(leased, () => work(createExecution({ db, observe, leased, signal }).context))
    } catch (error) {
      if (!(error instanceof RunEnded))
        log.warn('a worker could not help with a run', { ...getIds(leased), err: error })
    } finally {
      helping.delete(job)
    }
    return 1
  }

  function renew(leased: LeasedRun): Promise<boolean> {
    const expiresAt = addMilliseconds(clock.now(), leaseMs)
    return renewLease(heartbeatDb, { ...getLease(leased), expiresAt })
  }

  return { runJob }
}

function getLease({ job, fence, run }: LeasedRun) {
  return { job, fence, runId: run.id }
}

function getIds({ job, run }: LeasedRun) {
  const trace = parseTraceparent(run.traceparent ?? '')
  return { job, run_id: run.id, ...(trace ? { trace_id: trace.traceId } : {}) }
}
