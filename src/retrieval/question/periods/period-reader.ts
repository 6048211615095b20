import type { Range } from './periods.ts'

/** Reads one way to name a time. The sentence that it reads is in lower case. */
export type PeriodReader = {
  pattern: RegExp
  read: (groups: readonly (string | undefined)[], at: Date) => readonly Range[]
}

/** A source between two characters that belong to no word. */
export function createReader(source: string, read: PeriodReader['read']): PeriodReader {
  return { pattern: new RegExp(`(?<![\\p{L}\\p{N}-])${source}(?![\\p{L}\\p{N}-])`, 'gu'), read }
}

/** A source in a script without spaces, which may begin and end within a run of letters. */
export function createUnspacedReader(source: string, read: PeriodReader['read']): PeriodReader {
  return { pattern: new RegExp(`(?<!\\p{N})${source}(?!\\p{N})`, 'gu'), read }
}

/** Four digits, as a group. */
export const year = '((?:19|20)\\d\\d)'
