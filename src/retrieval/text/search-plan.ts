import { compareTexts } from '../../kernel/text-order.ts'
import { estimateIdf, k1 } from './bm25.ts'
import {
  type CountedWord,
  estimateRecords,
  sortRarestFirst,
  type WordStatistics,
} from './statistics/word-statistics.ts'
import type { RelatedStem } from './stems/related-stems.ts'

/** Keeps a text search within its budget: decides which words look up records, and which only add to the score. */

export type Plan = {
  /** Words whose records are all read by index. */
  rare: CountedWord[]
  /** Words with too many records to read all. */
  common: CountedWord[]
}

/** A sentence has about a dozen words. A pasted page would cost each record a hundred look-ups. */
export const maxWords = 48

/** How often each word is in the question. */
export type Occurrences = ReadonlyMap<string, number>

/** How much a word counts that only stands in remarks beside the question, or in likely answers. docs/quality-experiments.md has the figures. */
const remarkWeight = 1 / 3

export function weighRemark(word: string, remarked: ReadonlySet<string>): number {
  return remarked.has(word) ? remarkWeight : 1
}

/**
 * The words of a long question that say most of what it is about: those that are rare in the store, or repeated in the question. A
 * long message has more words that are rare by chance than words of its subject, which it repeats. A word that no record contains
 * finds nothing but its related words, so it comes last.
 */
export function pickWords<T extends { word: string; count: number }>(
  counted: readonly T[],
  { occurrences, remarked, rows }: { occurrences: Occurrences; remarked: ReadonlySet<string>; rows: number },
): T[] {
  const weigh = ({ word, count }: T) =>
    weighRemark(word, remarked) * weighOccurrences(occurrences.get(word) ?? 1) * estimateIdf(count, { rows })
  return counted
    .map((each) => ({ each, isAbsent: each.count === 0, weight: weigh(each) }))
    .sort(
      (one, other) =>
        Number(one.isAbsent) - Number(other.isAbsent) ||
        other.weight - one.weight ||
        compareTexts(one.each.word, other.each.word),
    )
    .slice(0, maxWords)
    .map(({ each }) => each)
}

/** 1 for a word that the question has once. Each further occurrence adds less, as in BM25. */
function weighOccurrences(occurrences: number): number {
  return (occurrences * (k1 + 1)) / (occurrences + k1)
}

/** How many records are read for the rarest words: 5 µs each when cached, 25 µs when not. */
const budget = 1_000

/**
 * How many records are read first if at least `enough` are expected: they usually show which score the other words would
 * have to beat.
 */
const firstBudget = 500
const enough = 30

/** Takes the rarest words, as long as the expected number of their records in a share of the store stays within the budget. */
export function planSearch(words: readonly string[], share: number, statistics: WordStatistics): Plan {
  const plan: Plan = { rare: [], common: [] }
  const isAll = statistics.rows * share <= budget
  let expected = 0
  for (const word of sortRarestFirst(words, statistics)) {
    const count = estimateRecords(word, statistics) * share
    const allowed = expected < enough ? budget : firstBudget
    expected += count
    const isRare = isAll || expected <= allowed
    if (isRare) plan.rare.push({ word, count: null })
    else plan.common.push({ word, count })
  }
  return plan
}

/** The related words whose records are read too: the rarest, within what the words of the question leave of the budget. */
export function pickRelated(
  related: readonly RelatedStem[],
  rare: readonly CountedWord[],
  share: number,
  statistics: WordStatistics,
): RelatedStem[] {
  const expect = (word: string) => estimateRecords(word, statistics) * share
  let left = budget - rare.reduce((sum, { word }) => sum + expect(word), 0)
  const isAll = statistics.rows * share <= budget
  return [...related]
    .sort((one, other) => expect(one.word) - expect(other.word) || compareTexts(one.word, other.word))
    .filter(({ word }) => {
      left -= expect(word)
      return isAll || left >= 0
    })
}
