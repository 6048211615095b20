import { compareTexts } from '../../../kernel/text-order.ts'

/** How common words are in the store, estimated from a sample. */

export type WordStatistics = {
  /** The number of records. */
  rows: number
  /** The mean length of their texts. */
  averageLength: number
  /** How many texts the sample has. */
  sampled: number
  /** How many texts of the sample contain the word. Words that occur in fewer than two are left out. */
  counts: ReadonlyMap<string, number>
}

/** The size of the searched part of the store, which relevance is measured against. */
export type StoreSize = Pick<WordStatistics, 'rows' | 'averageLength'>

export type CountedWord = {
  word: string
  /** The number of records that contain the word; null when the search itself counts them. */
  count: number | null
}

/** The expected count of a word that the sample does not contain. */
const unknownCount = 0.5

/** Estimates in how many records a word occurs. */
export function estimateRecords(word: string, { rows, sampled, counts }: WordStatistics): number {
  return (rows * (counts.get(word) ?? unknownCount)) / Math.max(1, sampled)
}

/** Estimates the share of the store that has one of the words of each list. */
export function estimateShare(lists: readonly (readonly string[])[], statistics: WordStatistics): number {
  const estimateOne = (words: readonly string[]) =>
    words.reduce((sum, word) => sum + estimateRecords(word, statistics) / Math.max(1, statistics.rows), 0)
  return lists.reduce((share, words) => share * Math.min(1, estimateOne(words)), 1)
}

export function sortRarestFirst(words: readonly string[], statistics: WordStatistics): string[] {
  return [...words].sort(
    (one, other) =>
      estimateRecords(one, statistics) - estimateRecords(other, statistics) || compareTexts(one, other),
  )
}

/** In a store of at most this many records all matches are read where it matters, so the ten best are exact. */
const maxExactRows = 5_000

/** Whether all records with common words can be read. */
export function canReadCommonWords({ rows }: StoreSize): boolean {
  return rows <= maxExactRows
}
