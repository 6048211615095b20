/** Time is a parameter of rules and SQL, so that a test can set it and a sweep has one `now`. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
