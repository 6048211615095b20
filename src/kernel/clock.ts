/** Time is a parameter: rules and SQL take an instant, so a test can own it and a sweep has one `now`. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
