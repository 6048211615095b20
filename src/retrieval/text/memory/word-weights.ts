import { computeIdf } from '../bm25.ts'
import { type Occurrences, pickWords, weighRemark } from '../search-plan.ts'
import { computeGain, type RelatedStem, type WeighedStem } from '../stems/related-stems.ts'

export type QueryWords = {
  words: readonly string[]
  occurrences: Occurrences
  /** Those that only stand in remarks beside the question. */
  remarked: ReadonlySet<string>
  related: readonly RelatedStem[]
}

export type WordWeights = {
  /** How rare each word is; less for one that is only remarked. */
  idfs: ReadonlyMap<string, number>
  /** Those of the related stems that occur. */
  related: readonly WeighedStem[]
  /** How much each word and each related stem counts, the highest weight first. */
  weights: readonly (readonly [word: string, weight: number])[]
}

/** A related word in more texts says little of each, and to score them all would slow down the search of a large store. */
const maxTextsOfRelated = 2_000

/** Weighs the words that say most and what stands for them, by how many of all texts contain them. */
export function weighWords(
  { words, occurrences, remarked, related }: QueryWords,
  countTexts: (word: string, most?: number) => number,
  rows: number,
): WordWeights {
  const counted = pickWords(
    words.map((word) => ({ word, count: countTexts(word) })),
    { occurrences, remarked, rows },
  )
  const idfs = new Map(
    counted.map(({ word, count }) => [word, weighRemark(word, remarked) * computeIdf(count, { rows })]),
  )
  const weighed = related.flatMap((each) => {
    const idfOfWord = idfs.get(each.of)
    if (idfOfWord === undefined) return []
    const most = each.isCorrection ? Number.POSITIVE_INFINITY : maxTextsOfRelated
    const count = countTexts(each.word, most)
    if (count === 0 || count > most) return []
    return [{ ...each, gain: computeGain(each, { idf: computeIdf(count, { rows }), idfOfWord }, { rows }) }]
  })
  const gains = weighed.map(({ word, of, gain }): [string, number] => [word, gain * (idfs.get(of) ?? 0)])
  const weights = [...idfs, ...gains].sort(([, one], [, other]) => other - one)
  return { idfs, related: weighed, weights }
}
