/** How a search stays within its budget: by which words records are looked up, and which only weigh. */

/** How many records there are, how long their texts, and which words are how common: all of a sample. */
export type WordStatistics = {
  rows: number
  averageLength: number
  sampled: number
  /** Of the sample, how many have the word. Those that fewer than two have are left out. */
  counts: ReadonlyMap<string, number>
}

/** What relevance is measured against: of all records, those that can be meant. */
export type StoreSize = Pick<WordStatistics, 'rows' | 'averageLength'>

export type CountedWord = {
  word: string
  /** In how many records it is; null where that is counted among those that are found. */
  count: number | null
}

export type Plan = {
  /** Looked up in the index, every one of their records. */
  rare: CountedWord[]
  /** Too many records have these for all to be read. */
  common: CountedWord[]
}

/** How many records are read for the rarest words: 5 µs each where they are cached, 25 where they are not. */
const budget = 1_000

/** So many of them mostly tell what the other words would have to beat, if they are expected in enough records. */
const firstBudget = 500
const enough = 30

/** Up to so many records everything that matches is read where it matters, and the ten best are exactly those. */
const small = 5_000

/** A word that is not in the lexicon: one of the sample may have it. */
const unknownCount = 0.5

/** In how many records a word is expected. */
function estimateRecords(word: string, { rows, sampled, counts }: WordStatistics): number {
  return (rows * (counts.get(word) ?? unknownCount)) / Math.max(1, sampled)
}

/** Which part of the store has one of these words in each list. */
export function estimateShare(required: readonly (readonly string[])[], lexicon: WordStatistics): number {
  const shareOf = (any: readonly string[]) =>
    any.reduce((sum, word) => sum + estimateRecords(word, lexicon) / Math.max(1, lexicon.rows), 0)
  return required.reduce((reach, any) => reach * Math.min(1, shareOf(any)), 1)
}

/** The rarest words first, as long as the records they are expected in stay within the budget. */
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

/** Whether the records of common words can all be read after all. */
export function isSmall({ rows }: StoreSize): boolean {
  return rows <= small
}

/** How many records are read for what common words have together. */
const jointBudget = 1_500

/**
 * How much of the index is read for them: of words that must occur together the rarest is read whole, half a
 * microsecond for each of its records, and the others sought for these.
 */
const mostPostings = 20_000
const mostOfOne = 50_000

/** So many ways to beat a score are tried; a sentence of very many common words has more. */
const mostSets = 64

type Common = {
  words: readonly CountedWord[]
  phrased: readonly string[]
  reach: number
  lexicon: WordStatistics
}

/**
 * Which of the common words a record must have together to score above the least that matters. Where that would be
 * too many records, the least is raised until they are few enough: they are the best of all.
 */
export function planJoint(common: Common, least: number): string[][] {
  const { words, reach, lexicon } = common
  const store = { rows: lexicon.rows * reach, averageLength: lexicon.averageLength }
  const isLed = findLeaders(common)
  const affordableOver = (score: number) => {
    const sets = setsAbove(words, score, store)
    const affordable = sets.filter(isLed)
    const expected = affordable.reduce((sum, set) => sum + estimateJointRecords(set, common), 0)
    return sets.length < mostSets && expected <= jointBudget ? affordable : undefined
  }
  let sets = affordableOver(least)
  if (sets) return sets
  let low = least
  let high = words.reduce((sum, { count }) => sum + inShort * scoreOf(count ?? 0, store), 0)
  for (let round = 0; round < 12; round++) {
    const middle = (low + high) / 2
    const tried = affordableOver(middle)
    if (tried) [high, sets] = [middle, tried]
    else low = middle
  }
  return sets ?? []
}

/** In how many records some words are together, if they know nothing of each other. */
function estimateJointRecords(set: readonly string[], { phrased, reach, lexicon }: Common): number {
  return [...new Set([...set, ...phrased])].reduce(
    (expected, word) => expected * Math.min(1, estimateRecords(word, lexicon) / lexicon.rows),
    lexicon.rows * reach,
  )
}

/** Whether the rarest word of a set is one of those that can be read whole. */
function findLeaders({ words, phrased, lexicon }: Common): (set: readonly string[]) => boolean {
  const postings = (word: string) => estimateRecords(word, lexicon)
  const isRead = new Set<string>()
  let sum = 0
  for (const word of sortRarestFirst([...new Set([...words.map(({ word }) => word), ...phrased])], lexicon)) {
    sum += postings(word)
    if (sum <= (isRead.size === 0 ? mostOfOne : mostPostings)) isRead.add(word)
  }
  return (set) => set.some((word) => isRead.has(word)) || phrased.some((word) => isRead.has(word))
}

/** What a word tells in a text of a third of the average length, which is where a word said once tells most. */
const inShort = 1.4

/** The smallest sets of words that reach a score together, each said once. */
function setsAbove(words: readonly CountedWord[], least: number, store: StoreSize): string[][] {
  const scored = words
    .map(({ word, count }) => ({ word, score: inShort * scoreOf(count ?? 0, store) }))
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

/** The highest score a record can have from these words alone, however often they occur in however short a text. */
export function computeHighestScore(words: readonly CountedWord[], store: StoreSize): number {
  return words.reduce((sum, { count }) => sum + scoreOf(count ?? 0, store) * (k1 + 1), 0)
}

/** Of a word that is said once in a text of the average length. */
function scoreOf(count: number, { rows }: StoreSize): number {
  const having = Math.min(rows, count)
  return Math.log(1 + (rows - having + 0.5) / (having + 0.5))
}

/** A word as PostgreSQL reads it in a query. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** All words of one of some sets. What sets begin with in common is said once: PostgreSQL asks each part of a query for each record. */
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
