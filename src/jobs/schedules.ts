import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import type { JobName } from './job-names.ts'
import type { JobQueue } from './queue.ts'
import { tryOwnSchedules } from './schedules.queries.ts'

/** Milliseconds between two runs of each job that runs on its own; 0 for one that shall not. */
export type Intervals = Readonly<Partial<Record<JobName, number>>>

type Schedules = {
  db: Database
  queue: JobQueue
  clock: Clock
  /** Given anew each time they are looked after, where they can be changed meanwhile. */
  intervals: Intervals | (() => Promise<Intervals>)
}
type Watch = Schedules & { log: Logger; everyMs?: number }

/** Overdue by no more than this, a schedule is only waiting for a worker. */
const patienceMs = 60_000

/**
 * Puts into order what is missing, stopped or of another interval, and touches nothing else: a schedule that is
 * removed and added again on every start would never come to a daily run. Answers the names it changed.
 */
export async function ensureSchedules({ db, queue, clock, intervals }: Schedules): Promise<JobName[]> {
  const wanted = typeof intervals === 'function' ? await intervals() : intervals
  return db.transaction().execute(async (tx) => {
    if (!(await tryOwnSchedules(tx))) return []
    const changed: JobName[] = []
    for (const [name, every] of entriesOf(wanted)) {
      if (await ensureSchedule(queue, name, every, clock.now())) changed.push(name)
    }
    return changed
  })
}

async function ensureSchedule(queue: JobQueue, name: JobName, every: number, now: Date): Promise<boolean> {
  const found = await queue.findSchedule(name)
  if (every === 0) {
    if (found) await queue.unschedule(name)
    return found !== undefined
  }
  const overdue = now.getTime() - (found?.next ?? 0)
  if (found?.every === every && overdue < every + patienceMs) return false
  await queue.schedule(name, every)
  return true
}

/** Looks again and again, so that a schedule that was lost with its queue comes back by itself. */
export function watchSchedules({ everyMs = 60_000, ...schedules }: Watch): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await lookAfter(schedules)
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const watching = watch()
  return {
    stop: () => {
      stopping.abort()
      return watching
    },
  }
}

async function lookAfter({ log, ...schedules }: Watch): Promise<void> {
  try {
    const changed = await ensureSchedules(schedules)
    if (changed.length > 0) log.info('schedules put in order', { jobs: changed })
  } catch (error) {
    log.warn('schedules could not be looked after', { err: error })
  }
}

function entriesOf(intervals: Intervals): [JobName, number][] {
  return Object.entries(intervals) as [JobName, number][]
}
