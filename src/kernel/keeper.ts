/** What is kept is renewed after this time, and given back when nobody has asked for it for so long. */
const keptMs = 10 * 60_000
const retryMs = 60_000

export type KeeperClock = {
  now?: () => number
  later?: (run: () => void, ms: number) => void
}

type Options<Kept, Asked> = KeeperClock & {
  load: (asked: Asked) => Promise<Kept>
  /** Whether what is kept still answers. */
  isCurrent: (kept: Kept, asked: Asked) => boolean
  /** Finds out what has gone, which nothing else tells. Returns whether it is worth keeping; if not, it is loaded again. */
  renew: (kept: Kept) => Promise<boolean>
  close: (kept: Kept) => void
}

/** Keeps in memory what takes long to read: it is read in the background, renewed from time to time, and given back. */
export function createKeeper<Kept, Asked>({
  load,
  isCurrent,
  renew,
  close,
  now = () => performance.now(),
  later = (run, ms) => void setTimeout(run, ms).unref(),
}: Options<Kept, Asked>) {
  let kept: { value: Kept; at: number } | undefined
  let working: Promise<void> | undefined
  let refusedUntil = Number.NEGATIVE_INFINITY
  let askedAt = 0
  let isWatched = false

  /** Returns what is kept; undefined while it is loaded. */
  function get(asked: Asked): Kept | undefined {
    askedAt = now()
    const isUsable = kept !== undefined && isCurrent(kept.value, asked)
    const entry = kept
    if (entry && isUsable) {
      if (now() - entry.at >= keptMs) start(() => renewKept(entry))
      return entry.value
    }
    // It would be read with each question while more is written than a check may return.
    if (kept && !isUsable) refusedUntil = kept.at + retryMs
    forget()
    if (now() >= refusedUntil) start(() => reload(asked))
    return undefined
  }

  /** Only one load or renewal runs at a time. */
  function start(work: () => Promise<void>): void {
    working ??= work().finally(() => (working = undefined))
  }

  async function reload(asked: Asked): Promise<void> {
    try {
      kept = { value: await load(asked), at: now() }
      watch()
    } catch (error) {
      // Others answer until it is tried again. What has no room will have none in a minute either.
      refusedUntil = now() + (error instanceof RangeError ? keptMs : retryMs)
    }
  }

  async function renewKept(entry: NonNullable<typeof kept>): Promise<void> {
    const isKept = await renew(entry.value).catch(() => false)
    if (kept !== entry) return
    if (isKept) entry.at = now()
    else forget()
  }

  function forget(): void {
    if (kept) close(kept.value)
    kept = undefined
  }

  /** What was erased must go also where nobody asks. */
  function watch(): void {
    if (isWatched) return
    isWatched = true
    later(() => {
      isWatched = false
      if (now() - askedAt >= keptMs) forget()
      if (kept) watch()
    }, keptMs)
  }

  return { get, peek: () => kept?.value, untilLoaded: async () => working }
}
