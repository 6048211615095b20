import { isOneEditApart } from '../../domain/words/one-edit.ts'
import { correctionWeight, type RelatedStem } from './related-stems.ts'
import type { WordStatistics } from './word-statistics.ts'

const maxCorrections = 3

type Counts = WordStatistics['counts']

/** By the words of a store: the corrections of earlier words. To find them takes up to a millisecond. */
const known = new WeakMap<Counts, Map<string, readonly RelatedStem[]>>()

/** Words of the store that a misspelled stem may mean, such as a name that no vocabulary has. The most common ones come first. */
export function listStoredCorrections(stem: string, counts: Counts): readonly RelatedStem[] {
  const corrections = known.get(counts) ?? new Map<string, readonly RelatedStem[]>()
  known.set(counts, corrections)
  const found = corrections.get(stem) ?? searchCorrections(stem, counts)
  corrections.set(stem, found)
  return found
}

function searchCorrections(stem: string, counts: Counts): RelatedStem[] {
  const near: [word: string, count: number][] = []
  for (const [word, count] of counts) {
    // A scope and a type are stored as words with a space.
    if (isOneEditApart(stem, word) && /^\p{L}+$/u.test(word)) near.push([word, count])
  }
  return near
    .sort(([one, count], [other, more]) => more - count || (one < other ? -1 : 1))
    .slice(0, maxCorrections)
    .map(([word]) => ({ word, of: stem, weight: correctionWeight, isCorrection: true }))
}
