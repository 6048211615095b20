/** The value is refreshed after this time, and dropped when it was not asked for during this time. */
const keptMs = 10 * 60_000
const retryMs = 60_000

export type CacheClock = {
  now?: () => number
  later?: (run: () => void, ms: number) => void
}

type Options<Value, Request> = CacheClock & {
  load: (request: Request) => Promise<Value>
  /** Whether the value can answer a request. */
  isCurrent: (value: Value, request: Request) => boolean
  /**
   * Removes deleted entries from the value; nothing else reports them. Returns whether the value is worth keeping; if
   * not, it is loaded again.
   */
  refresh: (value: Value) => Promise<boolean>
  close: (value: Value) => void
}

/**
 * A cache of one value that takes long to read: it is loaded in the background, refreshed from time to time, and dropped when
 * it is no longer asked for.
 */
export function createRefreshedCache<Value, Request>({
  load,
  isCurrent,
  refresh,
  close,
  now = () => performance.now(),
  later = (run, ms) => void setTimeout(run, ms).unref(),
}: Options<Value, Request>) {
  let cached: { value: Value; at: number } | undefined
  let working: Promise<void> | undefined
  let refusedUntil = Number.NEGATIVE_INFINITY
  let requestedAt = 0
  let isWatched = false

  /** Returns the value; undefined until it is loaded. */
  function get(request: Request): Value | undefined {
    requestedAt = now()
    const entry = cached
    if (entry && isCurrent(entry.value, request)) {
      if (now() - entry.at >= keptMs) start(() => refreshEntry(entry))
      return entry.value
    }
    // It would be loaded with each request while more is written than a check may return.
    if (entry) refusedUntil = entry.at + retryMs
    drop()
    if (now() >= refusedUntil) start(() => reload(request))
    return undefined
  }

  /** Only one load or refresh runs at a time. */
  function start(work: () => Promise<void>): void {
    working ??= work().finally(() => (working = undefined))
  }

  async function reload(request: Request): Promise<void> {
    try {
      cached = { value: await load(request), at: now() }
      watch()
    } catch (error) {
      // Other ways answer until it is tried again. A value that has no room will have none in a minute either.
      refusedUntil = now() + (error instanceof RangeError ? keptMs : retryMs)
    }
  }

  async function refreshEntry(entry: NonNullable<typeof cached>): Promise<void> {
    const isKept = await refresh(entry.value).catch(() => false)
    if (cached !== entry) return
    if (isKept) entry.at = now()
    else drop()
  }

  function drop(): void {
    if (cached) close(cached.value)
    cached = undefined
  }

  /** Erased content must leave the memory even if the value is not asked for. */
  function watch(): void {
    if (isWatched) return
    isWatched = true
    later(() => {
      isWatched = false
      if (now() - requestedAt >= keptMs) drop()
      if (cached) watch()
    }, keptMs)
  }

  return { get, peek: () => cached?.value, untilLoaded: async () => working }
}
