import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import type { EnterSchema } from '../connection.ts'
import type { PoolOptions } from '../pool.ts'
import type { Position } from '../positions/position.ts'
import { getReading, type Reading } from '../request-scope.ts'
import { createPrimary } from './primary.ts'
import { createReadClient } from './read-client.ts'
import { createReplica, type Replica } from './replica.ts'

type Options = PoolOptions & {
  replicaUrls: readonly string[]
  /** A replica that is further behind answers nothing. */
  maxLagMs: number
  log: Logger
}

const lookEveryMs = 500
/** How long a read waits for a replica to replay a position, before the primary answers it. */
const waitMs = 250
const waitStepMs = 5

/** Servers that answer reads, and the watch over them. */
export function createReplicas(options: Options) {
  const { url, replicaUrls, maxLagMs, log, ...rest } = options
  const closing = new AbortController()
  const applicationName = `${rest.applicationName} reads`
  const replicas = replicaUrls.map((each, index) =>
    createReplica(index + 1, { ...rest, url: each, applicationName }, report),
  )
  function report({ number, absence, lagMs }: ReturnType<Replica['describe']>): void {
    if (closing.signal.aborted) return
    const facts = { replica: number, lag_ms: Math.round(lagMs) }
    if (absence === undefined) log.info('a replica answers reads', facts)
    else log.warn('a replica is left out', { ...facts, reason: absence })
  }

  const primary = createPrimary(url, `${rest.applicationName} probe`, maxLagMs)
  let next = 0

  async function look(): Promise<void> {
    await primary.look()
    await Promise.all(replicas.map((each) => each.look(primary.judge)))
  }

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await look()
      await sleep(lookEveryMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  /** The replica that answers a request; undefined when only the primary can. */
  async function choose(reading: Reading): Promise<Replica | undefined> {
    const kept = replicas.find((each) => each === reading.replica)
    if (kept?.isUsed()) return kept
    // Another replica may be in an older state than what the request has read already.
    reading.choosing ??= findFor(reading.after)
    const chosen = kept ? undefined : await reading.choosing
    const found = replicas.find((each) => each === chosen)
    if (found) reading.replica = found
    else reading.isPrimaryOnly = true
    return found
  }

  async function findFor(after: Position | undefined): Promise<Replica | undefined> {
    const used = replicas.filter((each) => each.isUsed())
    if (!after) return findLeastBusy(used)
    // After a failover a position of the old timeline may be lost, and the primary knows.
    if (used.length === 0 || after.timeline !== primary.getTimeline()) return undefined
    return findLeastBusy(await awaitReplay(used, after))
  }

  /** The replicas that have replayed a position: at once, or as soon as one has; none when it takes too long. */
  async function awaitReplay(used: readonly Replica[], after: Position): Promise<Replica[]> {
    const deadline = performance.now() + waitMs
    const findReady = () => used.filter((each) => each.hasReplayed(after))
    let ready = findReady()
    while (ready.length === 0 && performance.now() < deadline) {
      await Promise.all(used.map((each) => each.look(primary.judge)))
      ready = findReady()
      if (ready.length === 0) await sleep(waitStepMs)
    }
    return ready
  }

  function findLeastBusy(candidates: readonly Replica[]): Replica | undefined {
    const load = Math.min(...candidates.map((each) => each.load()))
    const idle = candidates.filter((each) => each.load() === load)
    return idle[next++ % Math.max(1, idle.length)]
  }

  return {
    /** Looks at every server once, so that the first read has a replica, and then again and again. */
    start: async (): Promise<void> => {
      await look()
      void watch()
    },
    /** The pool of a database whose reads may go to replicas. */
    route: (pool: pg.Pool, enterSchema: EnterSchema) => ({
      connect: async () => {
        const own = enterSchema(pool)
        const reading = getReading()
        const isRouted = reading && !reading.isPrimaryOnly
        return isRouted ? createReadClient({ reading, choose, primary: own, enterSchema }) : own.connect()
      },
      end: () => pool.end(),
    }),
    describe: () => replicas.map((each) => each.describe()),
    /** For /readyz: the reads of a replica that is left out go elsewhere. */
    checks: Object.fromEntries(
      replicas.map((each) => [
        `replica_${each.number}`,
        async () => {
          const { absence } = each.describe()
          if (absence !== undefined)
            throw new AppError('not_ready', `It ${absence}; others answer its reads.`)
        },
      ]),
    ),
    pools: replicas.map(({ number, pool }) => ({ number, pool })),
    /** Requests that wait for a connection to a replica. */
    waitingCount: () => replicas.reduce((sum, { pool }) => sum + pool.waitingCount, 0),
    close: async (): Promise<void> => {
      closing.abort()
      await Promise.all([...replicas.map((each) => each.close()), primary.close()])
    },
  }
}
