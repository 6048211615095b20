import { computeIdf } from '../bm25.ts'
import type { StoreSize } from '../statistics/word-statistics.ts'

/**
 * Words that stand for a word of the question: those of nearly the same meaning, because who asks for a car also wants the vehicle,
 * and those that a misspelled word may mean. They count less than the word itself. docs/quality-experiments.md has the figures.
 */

export type RelatedStem = {
  /** Its stem, as `of`. */
  word: string
  /** The stem of the question that it stands for. */
  of: string
  /** How much it counts beside that stem, by its meaning or spelling alone. */
  weight: number
  /** Whether that stem may be misspelled. A stem that some record contains is not. */
  isCorrection?: boolean
}

/** A related stem that is known to occur in the store. */
export type WeighedStem = RelatedStem & {
  /** How often `of` occurs where it occurs once. */
  gain: number
}

/** How much a word with the same meaning would count. */
const sameMeaning = 0.4

/** More find nothing else, and each takes a place in a statement. */
export const maxRelatedOfSentence = 40

/** How much a word counts that a misspelled one may mean. */
export const correctionWeight = 0.8

export function weighRelated(similarity: number): number {
  return sameMeaning * similarity
}

/** The stems that stand for one of the words. A question with very many words is searched by some of them only. */
export function pickRelatedTo(
  words: readonly { word: string }[],
  related: readonly RelatedStem[],
): readonly RelatedStem[] {
  const searched = new Set(words.map(({ word }) => word))
  return related.filter(({ of }) => searched.has(of))
}

type Rarity = { idf: number; idfOfWord: number }

/** A common word stands for a rare one only as much as it is rare itself. */
export function computeGain(
  { weight, isCorrection = false }: RelatedStem,
  { idf, idfOfWord }: Rarity,
  store: Pick<StoreSize, 'rows'>,
): number {
  if (idfOfWord <= 0 || (isCorrection && idfOfWord < computeIdfOfAbsent(store))) return 0
  return weight * Math.min(1, idf / idfOfWord)
}

/** The idf of a word that no record contains, as a misspelled one. A lower one is that of a word that is in some record. */
export function computeIdfOfAbsent(store: Pick<StoreSize, 'rows'>): number {
  return computeIdf(0, store) * (1 - rounding)
}

/** The logarithms of PostgreSQL and JavaScript may differ in the last bits. */
const rounding = 1e-9

/**
 * Returns a function that adds the related stems to the words for which they stand. It gets the counts of `words`, followed by the
 * counts of `related`. If several stand for one word, only the nearest counts: a text is no better for a list of synonyms.
 */
export function createRelatedSum(
  words: readonly string[],
  related: readonly WeighedStem[],
): (counts: readonly number[]) => number[] {
  const placed = related.map(({ of, gain }, at) => ({
    at: words.length + at,
    place: words.indexOf(of),
    gain,
  }))
  return (counts) => {
    const sums = counts.slice(0, words.length)
    for (const { at, place, gain } of placed) {
      if (!counts[at]) continue
      const own = counts[place] ?? 0
      sums[place] = Math.max(sums[place] ?? 0, own + gain)
    }
    return sums
  }
}
