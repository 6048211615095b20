/** Limits of one line. An import accepts every line that an export writes. */

/** The largest body of a create, and room for the history. */
export const maxLineBytes = 16 * 1_024 * 1_024

/** Accesses that are exported one by one. */
export const maxAccesses = 1_000

/** Fields and items in one line; an export contains the whole log of a record. */
export const maxLineValues = 1_000_000

/** The bytes of one line of an import; undefined when the line is too long. */
export type Line = { line: number; bytes: Buffer | undefined }
