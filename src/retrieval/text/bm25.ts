import type { CountedWord, StoreSize } from './statistics/word-statistics.ts'

/** Relevance by Okapi BM25. */

/** How soon more occurrences of a word stop to count. */
export const k1 = 1.2
/** How much the length of a text counts. */
export const b = 0.75

/** The inverse document frequency of a word, by the number of records that contain it. */
export function computeIdf(count: number, { rows }: Pick<StoreSize, 'rows'>): number {
  return Math.log(1 + Math.max(0, rows - count + 0.5) / (count + 0.5))
}

/** The inverse document frequency by an estimated number of records, which may be larger than that of all records. */
export function estimateIdf(count: number, { rows }: Pick<StoreSize, 'rows'>): number {
  const having = Math.min(rows, count)
  return Math.log(1 + (rows - having + 0.5) / (having + 0.5))
}

/** The highest score that these words can give, however often they occur in however short a text. */
export function computeHighestScore(words: readonly CountedWord[], store: StoreSize): number {
  return words.reduce((sum, { count }) => sum + estimateIdf(count ?? 0, store) * (k1 + 1), 0)
}
