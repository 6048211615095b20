/** A document for BM25, already split into words. */
export type Document = { id: string; words: readonly string[]; length: number }

/** Ranks documents by BM25 as a textbook defines it; text search in the database is compared with it. */
export function createBm25Ranking(documents: readonly Document[], mean = meanLength(documents)) {
  const counted = documents.map(({ id, words, length }) => {
    const counts = new Map<string, number>()
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { id, counts, norm: 1.2 * (0.25 + (0.75 * length) / mean) }
  })
  return function rank(query: readonly string[], limit: number) {
    const idfs = query.map((word) => {
      const having = counted.filter(({ counts }) => counts.has(word)).length
      return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
    })
    return counted
      .map(({ id, counts, norm }) => {
        const parts = query.map((word, at) => {
          const count = counts.get(word) ?? 0
          return ((idfs[at] ?? 0) * count * 2.2) / (count + norm)
        })
        return { id, score: Math.round(parts.reduce((sum, part) => sum + part, 0) * 1e9) / 1e9 }
      })
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1))
      .slice(0, limit)
  }
}

/** Returns the mean length of documents. */
export function meanLength(documents: readonly Document[]): number {
  return documents.reduce((sum, { length }) => sum + length, 0) / documents.length
}

const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'du', 'fa', 'go']

/** Builds a pronounceable word, a different one for each number. */
function wordOf(number: number): string {
  let word = ''
  for (let left = number + 12; left > 0; left = Math.floor(left / 12)) word += syllables[left % 12]
  return word
}

/** Draws a word from a vocabulary in which a few words are very frequent and most are rare. */
export function drawWord(dice: () => number, vocabulary: number): string {
  return wordOf(Math.floor(vocabulary ** dice()) - 1)
}
