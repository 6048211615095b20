/** How a memory was used, as far as its importance goes by it. */

/** What is known of the accesses of a record: all of the newest, and of the others how many there were. */
export type AccessSummary = {
  count: number
  /** The same with those that only showed the record counted as the part of one that they are. */
  weight: number
  /** Distinct days with an access, counted from creation. */
  days: number
  /** Days since the last; null when there was none. */
  last_age_days: number | null
  /** The newest that are known one by one, newest first, at most `recentAccesses`. */
  recent: readonly { age_days: number; weight: number }[]
}

/** Being shown does not by itself make a memory last. */
export const accessWeight = { used: 1, served: 1 / 4 } as const
/** Accesses whose age is summed one by one; older ones are taken as evenly spread. */
export const recentAccesses = 32

export const noAccesses: AccessSummary = { count: 0, weight: 0, days: 0, last_age_days: null, recent: [] }

type AccessAge = { age_days: number; kind: keyof typeof accessWeight }

/** Of all accesses, in any order. What claims to be later than now is of now, what is before creation is of then. */
export function summariseAccesses(all: readonly AccessAge[], ageDays: number): AccessSummary {
  const known = all
    .map(({ age_days: age, kind }) => ({ age_days: within(age, ageDays), weight: accessWeight[kind] }))
    .sort((left, right) => left.age_days - right.age_days)
  const days = new Set(all.map(({ age_days: age }) => Math.max(0, Math.floor(ageDays - age))))
  return {
    count: known.length,
    weight: known.reduce((sum, { weight }) => sum + weight, 0),
    days: days.size,
    last_age_days: known[0]?.age_days ?? null,
    recent: known.slice(0, recentAccesses),
  }
}

function within(age: number, ageDays: number): number {
  return Math.min(ageDays, Math.max(0, age))
}

const dayMs = 86_400_000

/** What a record keeps of its accesses, and what the log and its folds add. */
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

/** The same where the newest are logged and the others were only counted. */
export function combineAccesses(
  kept: StoredAccessCounts,
  { days, recent }: LoggedAccesses,
  now: Date,
): AccessSummary {
  const ageDays = daysBetween(kept.created_at, now)
  const ageOf = (at: Date) => Math.min(ageDays, daysBetween(at, now))
  return {
    count: kept.access_count,
    weight: kept.access_count - kept.served_count + accessWeight.served * kept.served_count,
    days,
    last_age_days: kept.last_accessed_at && ageOf(kept.last_accessed_at),
    recent: recent.map(({ at, kind }) => ({ age_days: ageOf(at), weight: accessWeight[kind] })),
  }
}

function daysBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / dayMs
}
