/** What a line may hold. An import takes whatever an export gives. */

/** The largest body of a create, and what the service keeps beside it. */
export const maxLineBytes = 16 * 1_024 * 1_024

/** Accesses that are told one by one. */
export const maxAccesses = 1_000

/** Fields and items of a line: an export gives the whole log of a record. */
export const maxLineValues = 1_000_000
