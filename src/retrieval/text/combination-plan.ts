import { compareTexts } from '../../kernel/text-order.ts'
import { estimateIdf } from './bm25.ts'
import {
  type CountedWord,
  estimateRecords,
  type StoreSize,
  sortRarestFirst,
  type WordStatistics,
} from './statistics/word-statistics.ts'

/** Chooses combinations of common words: the records of one word are too many to read, those of several together are not. */

/** How many records are read for combinations of common words. */
const combinationBudget = 1_500

/**
 * How much of the index is read for combinations. Of the words of a combination the rarest is read completely, half a
 * microsecond per record, and the others are checked for these records.
 */
const maxPostings = 20_000
const maxOfOne = 50_000

/** The most combinations that are tried. A sentence with very many common words has more. */
const maxSets = 64

export type CommonWords = {
  words: readonly CountedWord[]
  /** The words of phrases, which every match has too. */
  phrased: readonly string[]
  /** The share of the store that is searched. */
  share: number
  statistics: WordStatistics
}

/**
 * Finds the combinations of common words that a record must contain to score above `least`. When they match too many
 * records, the limit is raised until they are few enough; those records are then the best.
 */
export function planCombinations(common: CommonWords, least: number): string[][] {
  const { words, share, statistics } = common
  const store = { rows: statistics.rows * share, averageLength: statistics.averageLength }
  const hasReadableWord = createReadableCheck(common)
  const listAffordable = (score: number) => {
    const sets = listSetsAbove(words, score, store)
    const affordable = sets.filter(hasReadableWord)
    const expected = affordable.reduce((sum, set) => sum + estimateRecordsWithAll(set, common), 0)
    return sets.length < maxSets && expected <= combinationBudget ? affordable : undefined
  }
  let sets = listAffordable(least)
  if (sets) return sets
  let low = least
  let high = words.reduce((sum, { count }) => sum + shortTextWeight * estimateIdf(count ?? 0, store), 0)
  for (let round = 0; round < 12; round++) {
    const middle = (low + high) / 2
    const tried = listAffordable(middle)
    if (tried) [high, sets] = [middle, tried]
    else low = middle
  }
  return sets ?? []
}

/** Estimates how many records contain all words of a set, assuming that words are independent. */
function estimateRecordsWithAll(set: readonly string[], { phrased, share, statistics }: CommonWords): number {
  return [...new Set([...set, ...phrased])].reduce(
    (expected, word) => expected * Math.min(1, estimateRecords(word, statistics) / statistics.rows),
    statistics.rows * share,
  )
}

/** Returns whether a word of a set, or of the phrases, can be read completely from the index. */
function createReadableCheck({
  words,
  phrased,
  statistics,
}: CommonWords): (set: readonly string[]) => boolean {
  const readableWords = new Set<string>()
  const all = new Set([...words.map(({ word }) => word), ...phrased])
  let sum = 0
  for (const word of sortRarestFirst([...all], statistics)) {
    sum += estimateRecords(word, statistics)
    if (sum <= (readableWords.size === 0 ? maxOfOne : maxPostings)) readableWords.add(word)
  }
  const isReadable = (word: string) => readableWords.has(word)
  return (set) => set.some(isReadable) || phrased.some(isReadable)
}

/** The weight of a word in a text of a third of the mean length, where a single occurrence scores highest. */
const shortTextWeight = 1.4

/** Lists the smallest sets of words that together exceed a score, each word occurring once. */
function listSetsAbove(words: readonly CountedWord[], least: number, store: StoreSize): string[][] {
  const scored = words
    .map(({ word, count }) => ({ word, score: shortTextWeight * estimateIdf(count ?? 0, store) }))
    .sort((one, other) => other.score - one.score || compareTexts(one.word, other.word))
  const left = scored.map((_, at) => scored.slice(at).reduce((sum, { score }) => sum + score, 0))
  const sets: string[][] = []
  const extend = (set: readonly string[], score: number, from: number): void => {
    for (let at = from; at < scored.length && sets.length < maxSets; at++) {
      const next = scored[at]
      if (!next || score + (left[at] ?? 0) <= least) return
      const extended = [...set, next.word]
      if (score + next.score > least) sets.push(extended)
      else extend(extended, score + next.score, at + 1)
    }
  }
  extend([], 0, 0)
  return sets
}
