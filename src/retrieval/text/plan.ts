/** How a search stays within its budget: by which words records are looked up, and which only weigh. */

export type Weighed = {
  word: string
  /** Of all records, how many have it; null when fewer than PostgreSQL keeps account of. */
  share: number | null
}

export type Store = { rows: number; averageLength: number }

export type Plan = {
  /** Looked up in the index. */
  rare: Weighed[]
  /** Too many have these: looked for among the newest. */
  common: Weighed[]
}

/** What a word without a known share is taken for: PostgreSQL keeps account from about one in 500 upwards. */
const unknownShare = 0.002

/** The rarest words first, as long as the records they are expected in stay within the budget. */
export function planSearch(words: readonly Weighed[], store: Store, reach: number, budget: number): Plan {
  const isSmall = store.rows <= budget
  const rarestFirst = [...words].sort(
    (left, right) => (left.share ?? 0) - (right.share ?? 0) || (left.word < right.word ? -1 : 1),
  )
  let expected = 0
  const isRare = ({ share }: Weighed) => {
    expected += share === null ? 0 : share * store.rows * reach
    return isSmall || expected <= budget
  }
  const rare: Weighed[] = []
  const common: Weighed[] = []
  for (const word of rarestFirst) (isRare(word) ? rare : common).push(word)
  return { rare, common }
}

/** Which part of the store is left by words of which a record must have one. */
export function reachOf(any: readonly Weighed[]): number {
  return any.length === 0
    ? 1
    : Math.min(
        1,
        any.reduce((sum, { share }) => sum + (share ?? unknownShare), 0),
      )
}

/** A word as PostgreSQL reads it in a query. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
