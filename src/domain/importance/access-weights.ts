import { countDaysBetween } from '../../kernel/units.ts'

/** The figures about the uses of a record that its importance needs. */

/** A summary of the accesses of a record: the newest one by one, all of them as counts. */
export type AccessSummary = {
  count: number
  /** The sum of the weights: an access that only showed the record counts less than one. */
  weight: number
  /** On how many distinct days there was an access. Days are 24 hours long and count from the creation. */
  days: number
  /** Days since the last access; null when there was none. */
  last_age_days: number | null
  /** The newest accesses, newest first, at most `recentAccesses`. */
  recent: readonly { age_days: number; weight: number }[]
}

/**
 * To be shown in an answer counts a quarter of a use: otherwise retrieval alone would keep a memory important.
 */
export const accessWeight = { used: 1, served: 1 / 4 } as const
/** How many of the newest accesses are summed one by one. Older ones are taken as evenly spread over time. */
export const recentAccesses = 32

export const noAccesses: AccessSummary = { count: 0, weight: 0, days: 0, last_age_days: null, recent: [] }

/** The counts that a record row stores about its accesses. */
type StoredAccessCounts = {
  created_at: Date
  access_count: number
  served_count: number
  last_accessed_at: Date | null
}
export type LoggedAccesses = {
  days: number
  /** Newest first. */
  recent: readonly { at: Date; kind: keyof typeof accessWeight }[]
}

/** How often a use was reported. The other accesses only showed the record. */
export function countUses(kept: Pick<StoredAccessCounts, 'access_count' | 'served_count'>): number {
  return kept.access_count - kept.served_count
}

/** Builds the summary from the counts of the record and the newest accesses of the log. */
export function combineAccesses(
  kept: StoredAccessCounts,
  { days, recent }: LoggedAccesses,
  now: Date,
): AccessSummary {
  const ageDays = countDaysBetween(kept.created_at, now)
  const computeAge = (at: Date) => Math.min(ageDays, countDaysBetween(at, now))
  return {
    count: kept.access_count,
    weight: countUses(kept) + accessWeight.served * kept.served_count,
    days,
    last_age_days: kept.last_accessed_at && computeAge(kept.last_accessed_at),
    recent: recent.map(({ at, kind }) => ({ age_days: computeAge(at), weight: accessWeight[kind] })),
  }
}
