/** How a search stays within its budget: by which words records are looked up, and which only weigh. */

/** How many records there are, how long their texts, and which words are how common: all of a sample. */
export type Lexicon = {
  rows: number
  averageLength: number
  sampled: number
  /** Of the sample, how many have the word. Those that fewer than two have are left out. */
  counts: ReadonlyMap<string, number>
}

/** What relevance is measured against: of all records, those that can be meant. */
export type Store = Pick<Lexicon, 'rows' | 'averageLength'>

export type Weighed = {
  word: string
  /** In how many records it is; null where that is counted among those that are found. */
  count: number | null
}

export type Plan = {
  /** Looked up in the index, every one of their records. */
  rare: Weighed[]
  /** Too many records have these for all to be read. */
  common: Weighed[]
}

/** How many records are read for the rare words, each from a page of its own: 5 µs cached, 25 where they are not. */
const budget = 1_000

/** Up to so many records everything that matches is read where it matters, and the ten best are exactly those. */
const small = 5_000

/** A word that is not in the lexicon: one of the sample may have it. */
const unknownCount = 0.5

/** In how many records a word is expected. */
function expectedOf(word: string, { rows, sampled, counts }: Lexicon): number {
  return (rows * (counts.get(word) ?? unknownCount)) / Math.max(1, sampled)
}

/** Which part of the store has one of these words in each list. */
export function reachOf(required: readonly (readonly string[])[], lexicon: Lexicon): number {
  const shareOf = (any: readonly string[]) =>
    any.reduce((sum, word) => sum + expectedOf(word, lexicon) / Math.max(1, lexicon.rows), 0)
  return required.reduce((reach, any) => reach * Math.min(1, shareOf(any)), 1)
}

/** The rarest words first, as long as the records they are expected in stay within the budget. */
export function planSearch(words: readonly string[], reach: number, lexicon: Lexicon): Plan {
  let expected = 0
  const isRare = (word: string) => {
    expected += expectedOf(word, lexicon) * reach
    return lexicon.rows * reach <= budget || expected <= budget
  }
  const plan: Plan = { rare: [], common: [] }
  for (const word of rarestFirst(words, lexicon)) {
    if (isRare(word)) plan.rare.push({ word, count: null })
    else plan.common.push({ word, count: expectedOf(word, lexicon) * reach })
  }
  return plan
}

export function rarestFirst(words: readonly string[], lexicon: Lexicon): string[] {
  return [...words].sort(
    (one, other) => expectedOf(one, lexicon) - expectedOf(other, lexicon) || (one < other ? -1 : 1),
  )
}

/** Whether the records of common words can all be read after all. */
export function isSmall({ rows }: Store): boolean {
  return rows <= small
}

/** The rarest of some words is read whole in the index, and the others sought for each of its records. */
const mostPostings = 20_000

/**
 * Words that together are in few enough records to read them all: what has several of the words is likely the best.
 * Null where no such few are to be had.
 */
export function wordsTogether(
  phrased: readonly string[],
  { common }: Plan,
  reach: number,
  lexicon: Lexicon,
): string[] | null {
  const all = [...phrased, ...common.map(({ word }) => word).filter((word) => !phrased.includes(word))]
  const together: string[] = []
  let expected = lexicon.rows * reach
  let postings = expected
  for (const word of all) {
    if (expected <= budget / 2 && together.length >= phrased.length) break
    together.push(word)
    expected *= expectedOf(word, lexicon) / lexicon.rows
    postings = Math.min(postings, expectedOf(word, lexicon))
  }
  return together.length > 0 && expected <= budget / 2 && postings <= mostPostings ? together : null
}

export const k1 = 1.2
export const b = 0.75

/**
 * The highest score a record can have from these words alone, however often they occur in however short a text. In a
 * large store, where only a part of such records is looked at anyway: what one has that says each of them once.
 */
export function scoreOfAll(words: readonly Weighed[], store: Store): number {
  const most = isSmall(store) ? k1 + 1 : 1
  return words.reduce((sum, { count }) => {
    const having = Math.min(store.rows, count ?? 0)
    return sum + Math.log(1 + (store.rows - having + 0.5) / (having + 0.5)) * most
  }, 0)
}

/** A word as PostgreSQL reads it in a query. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
