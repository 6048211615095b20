import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Clock } from '../../kernel/clock.ts'

/** The number of requests of a bucket in its current window, and the time until that window ends. */
export type CountRequest = (bucket: string) => Promise<{ count: number; resetMs: number }>

const windowMs = 1_000

/** Buckets kept at once. Above it, the oldest window is dropped and its bucket starts again. */
const capacity = 20_000

/** Counts in this process only. */
export function createLocalCounter(clock: Clock): CountRequest {
  const windows = new Map<string, { count: number; endsAt: number }>()
  return async (bucket) => {
    const now = clock.now().getTime()
    let window = windows.get(bucket)
    // A window that ends later than possible was started before the clock was set back.
    if (!window || window.endsAt <= now || window.endsAt > now + windowMs) {
      windows.delete(bucket)
      window = { count: 0, endsAt: now + windowMs }
      windows.set(bucket, window)
      const [first] = windows.keys()
      if (windows.size > capacity && first !== undefined) windows.delete(first)
    }
    window.count++
    return { count: window.count, resetMs: window.endsAt - now }
  }
}

const connectMs = 2_000
/** Time between two attempts to reach Redis after a failure. */
const probeMs = 1_000

const script = `
  local count = redis.call('incr', KEYS[1])
  if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
  return { count, redis.call('pttl', KEYS[1]) }
`

export type SharedCounter = { count: CountRequest; connect(): Promise<void>; close(): void }

/**
 * Counts for all processes together, in Redis. While Redis is unreachable each process counts for itself: an outage
 * of the limiter must neither become an outage of the service nor remove the limit.
 */
export function createSharedCounter(
  url: string,
  local: CountRequest,
  onOutage: (error: Error) => void,
): SharedCounter {
  const redis = new Redis(url, {
    lazyConnect: true,
    // Commands fail at once while Redis is unreachable. A queue would hold every request until Redis came back.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: connectMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  })
  let isUnreachable = false
  let probe: NodeJS.Timeout | undefined
  let isClosed = false
  const markUnreachable = (error: Error) => {
    // One report per outage, not one per request or attempt to reconnect.
    if (!isUnreachable) onOutage(error)
    isUnreachable = true
    if (!isClosed) probe ??= setTimeout(sendProbe, probeMs).unref()
  }
  const sendProbe = () => {
    probe = undefined
    redis.ping().then(() => {
      isUnreachable = false
    }, markUnreachable)
  }
  redis.on('error', markUnreachable)
  redis.on('ready', () => {
    isUnreachable = false
  })
  return {
    async count(bucket) {
      // A Redis that hangs would delay each request by the whole timeout. Until a probe succeeds, requests are
      // counted locally.
      if (isUnreachable) return local(bucket)
      try {
        const reply: unknown = await redis.eval(script, 1, `membrane:limit:${bucket}`, windowMs)
        const [count, resetMs] = reply as [number, number]
        return { count, resetMs }
      } catch (error) {
        markUnreachable(error instanceof Error ? error : new Error(String(error)))
        return local(bucket)
      }
    },
    /**
     * Never rejects and never takes longer than the timeout: a connection that fails now is retried in the
     * background.
     */
    connect: () =>
      Promise.race([redis.connect().catch(() => {}), sleep(connectMs, undefined, { ref: false })]),
    close: () => {
      isClosed = true
      clearTimeout(probe)
      redis.disconnect()
    },
  }
}
