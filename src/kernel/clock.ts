/** Time is a parameter of rules and SQL, so that a test can set it and a sweep has one `now`. */
export type Clock = { now(): Date }

/** Clocks of an installation that differ by more than this are wrong. It is longer than any lease. */
export const maxClockDifferenceMs = 600_000

export const systemClock: Clock = { now: () => new Date() }
