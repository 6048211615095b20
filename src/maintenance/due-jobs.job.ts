import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import { type JobName, jobNames } from '../jobs/job-names.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import type { Intervals } from './maintenance.service.ts'
import { findDueJobs } from './running/due-jobs.queries.ts'
import { ensureJobRows } from './running/leases.queries.ts'
import type { Runner } from './running/runner.service.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  worker: string
  runner: Runner
  intervals: Intervals
  everyMs?: number
}

/**
 * Looks for work every few seconds, with one statement. So a message that was lost, a schedule that stands still
 * and a worker that died cost those seconds and nothing else.
 */
export function watchJobs(resources: Resources): { stop(): Promise<void> } {
  const { db, clock, log, worker, runner, intervals, everyMs = 2_000 } = resources
  const stopping = new AbortController()
  const { signal } = stopping
  const attended = new Set<Promise<unknown>>()

  async function look(): Promise<void> {
    const due = await findDueJobs(db, { worker, now: clock.now(), intervals })
    for (const job of jobNames.filter((name) => due.includes(name))) attend(job)
  }

  /** Not waited for: a long run of one job must not keep the others from being seen. */
  function attend(job: JobName): void {
    const attending = runner
      .attend(job, signal)
      .catch((error) => log.warn('a job could not be looked after', { job, err: error }))
      .finally(() => attended.delete(attending))
    attended.add(attending)
  }

  async function watch(): Promise<void> {
    let isPrepared = false
    while (!signal.aborted) {
      try {
        if (!isPrepared) await ensureJobRows(db, jobNames, clock.now())
        isPrepared = true
        await look()
      } catch (error) {
        log.warn('jobs could not be looked after', { err: error })
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
    await Promise.all(attended)
  }

  const watching = watch()
  return {
    stop: () => {
      stopping.abort()
      return watching
    },
  }
}
