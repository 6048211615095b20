import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import { fullTrust } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { shareRunning } from '../kernel/shared-runs.ts'
import { subtractMilliseconds } from '../kernel/units.ts'
import { measureRegret } from '../regrets/index.ts'
import { type Family, formatExposition } from './exposition.ts'
import { listBacklog, listJobs, listSizes, sumTallies } from './store.queries.ts'
import { describeStore } from './store-series.ts'

type Resources = {
  db: Database
  clock: Clock
  /** The interval of each job in milliseconds, from the configuration. */
  intervals: Readonly<Record<string, number>>
  revisedRetentionMs: number
  freshMs?: number
}

/** The number of messages in the queue by state. */
export type CountMessages = () => Promise<Readonly<Record<string, number>>>

/** The database is queried at most this often, however many clients ask. */
const defaultCacheMs = 5_000
/** A database or queue that hangs must not keep this process from reporting about itself. */
const timeoutMs = 2_000

export function createStoreMetrics(resources: Resources) {
  const { db, clock, intervals, revisedRetentionMs, freshMs = defaultCacheMs } = resources
  const readDatabase = cacheReading(freshMs, async () => {
    const now = clock.now()
    const revisedBefore = subtractMilliseconds(now, revisedRetentionMs)
    // One after the other: monitoring takes only one connection from the clients.
    const state = {
      tallies: await sumTallies(db),
      jobs: await listJobs(db, now),
      backlog: await listBacklog(db, now, revisedBefore),
      sizes: await listSizes(db),
      regret: await measureRegret(db, fullTrust),
    }
    return describeStore(state, now, (job) => intervals[job] ?? 0)
  })
  let readQueue: (() => Promise<Family[] | undefined>) | undefined

  return {
    /** Adds the messages of the queue to the series. */
    watchQueue: (count: CountMessages): void => {
      readQueue = cacheReading(freshMs, async () => describeQueue(await count()))
    },
    render: async (): Promise<string> => {
      const [database, queue] = await Promise.all([readDatabase(), readQueue?.()])
      return formatExposition([
        describeReach([
          ['database', database !== undefined],
          ...(readQueue ? [['queue', queue !== undefined] as const] : []),
        ]),
        ...(database ?? []),
        ...(queue ?? []),
      ])
    },
  }
}

function describeReach(parts: readonly (readonly [string, boolean])[]): Family {
  return {
    name: 'membrane_store_reached',
    type: 'gauge',
    help: 'Whether the source of the store series answered; without an answer they are missing.',
    samples: parts.map(([part, isReached]) => ({ labels: { part }, value: Number(isReached) })),
  }
}

function describeQueue(counts: Readonly<Record<string, number>>): Family[] {
  const samples = Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }))
  return [
    {
      name: 'membrane_store_queue_messages',
      type: 'gauge',
      help: 'Messages in the queue, by state.',
      samples,
    },
  ]
}

/**
 * Caches `read`: one call at a time, and none while the last result is fresh. Undefined when it fails or takes too
 * long.
 */
function cacheReading<T>(freshMs: number, read: () => Promise<T>): () => Promise<T | undefined> {
  let last: { value: T; at: number } | undefined
  const readOnce = shareRunning(async () => {
    try {
      const value = await read()
      last = { value, at: performance.now() }
      return value
    } catch {
      return undefined
    }
  })
  return async () => {
    if (last && performance.now() - last.at < freshMs) return last.value
    return Promise.race([readOnce(), sleep(timeoutMs, undefined, { ref: false })])
  }
}
