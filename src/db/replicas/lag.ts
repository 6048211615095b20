/** Positions that the primary has reached, and when each was first seen. */
export function createLagHistory(most = 1_024) {
  let seen: { lsn: bigint; at: number }[] = []

  return {
    add(lsn: bigint, at: number): void {
      const last = seen.at(-1)
      if (last && lsn <= last.lsn) return
      seen.push({ lsn, at })
      // The older half at half the resolution: it only tells how far behind a slow replica is.
      if (seen.length > most) seen = seen.filter((_, index) => index % 2 === 0 || index > most / 2)
    },

    clear(): void {
      seen = []
    },

    /** How long ago, at `now`, the primary reached a position that is not replayed yet; 0 when everything is. */
    lagOf(replayed: bigint, now: number): number {
      const missing = seen.find(({ lsn }) => lsn > replayed)
      return missing ? Math.max(0, now - missing.at) : 0
    },
  }
}
