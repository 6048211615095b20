/** Parts of the queries of words of PostgreSQL. */

/** Quotes a word for a tsquery. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** A tsquery for any of the words. */
export function joinWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' | ')
}

/**
 * A tsquery for all words of any one set. Common beginnings are written once, because PostgreSQL evaluates each part
 * of a query for each record.
 */
export function toAlternatives(sets: readonly (readonly string[])[]): string {
  const branches = new Map<string, (readonly string[])[]>()
  for (const [first, ...rest] of sets) {
    if (first !== undefined) branches.set(first, [...(branches.get(first) ?? []), rest])
  }
  return Array.from(branches, ([first, rests]) => {
    const isEnd = rests.some((rest) => rest.length === 0)
    return isEnd ? quoteWord(first) : `${quoteWord(first)} & (${toAlternatives(rests)})`
  }).join(' | ')
}

/** Fills up to the next multiple of four, because each number of words is a statement of its own, and PostgreSQL keeps few plans. */
export function padPlaces<T>(items: readonly T[]): (T | undefined)[] {
  return Array.from({ length: 4 * Math.ceil(items.length / 4) }, (_, at) => items[at])
}
