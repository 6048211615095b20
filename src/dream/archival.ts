/**
 * The limits of archival: an old record below all of them is forgotten, and can be restored like any forgotten record.
 * `accesses` is the sum of the access weights: a record that is only shown must not be kept for ever.
 */

export const archivedAfterDays = 90
export const archivedBelow = { retention: 0.15, importance: 0.3, accesses: 3 } as const
