/**
 * Words that mean nearly the same as a word of the question: who asks for a car also finds the vehicle. They count less than the word
 * itself. docs/quality-experiments.md has the figures.
 */

export type RelatedStem = {
  stem: string
  /** The stem of the question that it stands for. */
  of: string
  /** How much it counts beside that stem, by its meaning alone. */
  weight: number
}

/** A related stem that is known to occur in the store. */
export type WeighedStem = RelatedStem & {
  /** How often `of` occurs where it occurs once. */
  gain: number
}

/** How much a word with the same meaning would count. */
const sameMeaning = 0.4

export function weighRelated(similarity: number): number {
  return sameMeaning * similarity
}

/** A common word stands for a rare one only as much as it is rare itself. */
export function computeGain({ weight }: RelatedStem, idf: number, idfOfWord: number): number {
  return idfOfWord > 0 ? weight * Math.min(1, idf / idfOfWord) : 0
}

/**
 * Adds the related stems to the words for which they stand. `counts` are those of `words`, followed by those of `related`. Of
 * several for one word the nearest counts: a text is no better for a list of synonyms.
 */
export function addRelated(
  counts: readonly number[],
  words: readonly string[],
  related: readonly WeighedStem[],
): number[] {
  return words.map((word, place) => {
    const gains = related.map(({ of, gain }, at) => (of === word && counts[words.length + at] ? gain : 0))
    return (counts[place] ?? 0) + Math.max(0, ...gains)
  })
}
