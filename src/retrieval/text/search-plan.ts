/**
 * Keeps a text search within its budget: decides which words look up records, and which only add to the score.
 */

/**
 * The number of records, the mean length of their texts and how common words are, estimated from a sample.
 */
export type WordStatistics = {
  rows: number
  averageLength: number
  sampled: number
  /** How many texts of the sample contain the word. Words that occur in fewer than two are left out. */
  counts: ReadonlyMap<string, number>
}

/** The size of the searched part of the store, which relevance is measured against. */
export type StoreSize = Pick<WordStatistics, 'rows' | 'averageLength'>

export type CountedWord = {
  word: string
  /** The number of records that contain the word; null when the search itself counts them. */
  count: number | null
}

export type Plan = {
  /** Words whose records are all read by index. */
  rare: CountedWord[]
  /** Words with too many records to read all. */
  common: CountedWord[]
}

/** How many records are read for the rarest words: 5 µs each when cached, 25 µs when not. */
const budget = 1_000

/**
 * So many records usually show which score the other words would have to beat, if at least `enough` records are
 * expected.
 */
const firstBudget = 500
const enough = 30

/** In a store of at most so many records all matches are read where it matters, so the ten best are exact. */
const small = 5_000

/** The expected count of a word that the sample does not contain. */
const unknownCount = 0.5

/** Estimates in how many records a word occurs. */
function estimateRecords(word: string, { rows, sampled, counts }: WordStatistics): number {
  return (rows * (counts.get(word) ?? unknownCount)) / Math.max(1, sampled)
}

/** Estimates the share of the store that has one of the words of each list. */
export function estimateShare(required: readonly (readonly string[])[], lexicon: WordStatistics): number {
  const estimateOne = (any: readonly string[]) =>
    any.reduce((sum, word) => sum + estimateRecords(word, lexicon) / Math.max(1, lexicon.rows), 0)
  return required.reduce((reach, any) => reach * Math.min(1, estimateOne(any)), 1)
}

/** Takes the rarest words, as long as the expected number of their records stays within the budget. */
export function planSearch(words: readonly string[], reach: number, lexicon: WordStatistics): Plan {
  const plan: Plan = { rare: [], common: [] }
  const isAll = lexicon.rows * reach <= budget
  let expected = 0
  for (const word of sortRarestFirst(words, lexicon)) {
    const count = estimateRecords(word, lexicon) * reach
    const allowed = expected < enough ? budget : firstBudget
    expected += count
    const isRare = isAll || expected <= allowed
    if (isRare) plan.rare.push({ word, count: null })
    else plan.common.push({ word, count })
  }
  return plan
}

export function sortRarestFirst(words: readonly string[], lexicon: WordStatistics): string[] {
  return [...words].sort(
    (one, other) => estimateRecords(one, lexicon) - estimateRecords(other, lexicon) || (one < other ? -1 : 1),
  )
}

/** Whether the store is so small that the records of common words can all be read. */
export function isSmall({ rows }: StoreSize): boolean {
  return rows <= small
}

/** How many records are read for combinations of common words. */
const jointBudget = 1_500

/**
 * How much of the index is read for combinations. Of the words of a combination the rarest is read completely, half a
 * microsecond per record, and the others are checked for these records.
 */
const mostPostings = 20_000
const mostOfOne = 50_000

/** The most combinations that are tried. A sentence with very many common words has more. */
const mostSets = 64

type Common = {
  words: readonly CountedWord[]
  phrased: readonly string[]
  reach: number
  lexicon: WordStatistics
}

/**
 * Finds the combinations of common words that a record must contain to score above `least`. When they match too many
 * records, the limit is raised until they are few enough; those records are then the best.
 */
export function planJoint(common: Common, least: number): string[][] {
  const { words, reach, lexicon } = common
  const store = { rows: lexicon.rows * reach, averageLength: lexicon.averageLength }
  const isLed = findLeaders(common)
  const listAffordable = (score: number) => {
    const sets = listSetsAbove(words, score, store)
    const affordable = sets.filter(isLed)
    const expected = affordable.reduce((sum, set) => sum + estimateJointRecords(set, common), 0)
    return sets.length < mostSets && expected <= jointBudget ? affordable : undefined
  }
  let sets = listAffordable(least)
  if (sets) return sets
  let low = least
  let high = words.reduce((sum, { count }) => sum + inShort * computeScore(count ?? 0, store), 0)
  for (let round = 0; round < 12; round++) {
    const middle = (low + high) / 2
    const tried = listAffordable(middle)
    if (tried) [high, sets] = [middle, tried]
    else low = middle
  }
  return sets ?? []
}

/** Estimates how many records contain all words of a set, assuming that words are independent. */
function estimateJointRecords(set: readonly string[], { phrased, reach, lexicon }: Common): number {
  return [...new Set([...set, ...phrased])].reduce(
    (expected, word) => expected * Math.min(1, estimateRecords(word, lexicon) / lexicon.rows),
    lexicon.rows * reach,
  )
}

/** Whether a word of the set can be read completely from the index. */
function findLeaders({ words, phrased, lexicon }: Common): (set: readonly string[]) => boolean {
  const estimatePostings = (word: string) => estimateRecords(word, lexicon)
  const isRead = new Set<string>()
  let sum = 0
  for (const word of sortRarestFirst([...new Set([...words.map(({ word }) => word), ...phrased])], lexicon)) {
    sum += estimatePostings(word)
    if (sum <= (isRead.size === 0 ? mostOfOne : mostPostings)) isRead.add(word)
  }
  return (set) => set.some((word) => isRead.has(word)) || phrased.some((word) => isRead.has(word))
}

/** The weight of a word in a text of a third of the mean length, where a single occurrence scores highest. */
const inShort = 1.4

/** Lists the smallest sets of words that together exceed a score, each word occurring once. */
function listSetsAbove(words: readonly CountedWord[], least: number, store: StoreSize): string[][] {
  const scored = words
    .map(({ word, count }) => ({ word, score: inShort * computeScore(count ?? 0, store) }))
    .sort((one, other) => other.score - one.score || (one.word < other.word ? -1 : 1))
  const left = scored.map((_, at) => scored.slice(at).reduce((sum, { score }) => sum + score, 0))
  const sets: string[][] = []
  const grow = (set: readonly string[], score: number, from: number): void => {
    for (let at = from; at < scored.length && sets.length < mostSets; at++) {
      const next = scored[at]
      if (!next || score + (left[at] ?? 0) <= least) return
      const grown = [...set, next.word]
      if (score + next.score > least) sets.push(grown)
      else grow(grown, score + next.score, at + 1)
    }
  }
  grow([], 0, 0)
  return sets
}

export const k1 = 1.2
export const b = 0.75

/** The highest score that these words can give, however often they occur in however short a text. */
export function computeHighestScore(words: readonly CountedWord[], store: StoreSize): number {
  return words.reduce((sum, { count }) => sum + computeScore(count ?? 0, store) * (k1 + 1), 0)
}

/** The score of a word that occurs once in a text of mean length. */
function computeScore(count: number, { rows }: StoreSize): number {
  const having = Math.min(rows, count)
  return Math.log(1 + (rows - having + 0.5) / (having + 0.5))
}

/** The inverse document frequency of a word. */
export function computeIdf(count: number, { rows }: Pick<StoreSize, 'rows'>): number {
  return Math.log(1 + Math.max(0, rows - count + 0.5) / (count + 0.5))
}

/** Quotes a word for a tsquery. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
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
