import { createOneEditSearch, type OneEditSearch } from '../../../domain/words/one-edit.ts'
import { mayMean } from '../../../domain/words/other-languages.ts'
import type { WordStatistics } from '../statistics/word-statistics.ts'
import { correctionWeight, type RelatedStem } from './related-stems.ts'

const maxCorrections = 3

type Counts = WordStatistics['counts']

/** By the words of a store. To prepare the search of 20,000 words takes two milliseconds. */
const searches = new WeakMap<Counts, OneEditSearch>()

/** Words of the store that a misspelled stem may mean, such as a name that no vocabulary has. The most common ones come first. */
export function listStoredCorrections(stem: string, counts: Counts): RelatedStem[] {
  const search = searches.get(counts) ?? createOneEditSearch(counts.keys())
  searches.set(counts, search)
  const count = (word: string) => counts.get(word) ?? 0
  return (
    search(stem)
      // A scope and a type are stored as words with a space.
      .filter((word) => /^\p{L}+$/u.test(word) && mayMean(stem, word))
      .sort((one, other) => count(other) - count(one) || (one < other ? -1 : 1))
      .slice(0, maxCorrections)
      .map((word) => ({ word, of: stem, weight: correctionWeight, isCorrection: true }))
  )
}
