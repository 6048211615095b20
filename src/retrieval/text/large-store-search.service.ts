import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findMostSalient } from '../../records/index.ts'
import { computeHighestScore } from './bm25.ts'
import { type CommonWords, planCombinations } from './combination-plan.ts'
import { mergeRanked, noMatches, type RankedMatches } from './ranked-matches.ts'
import { pickRelated, pickWords, planSearch } from './search-plan.ts'
import {
  type CountedWord,
  canReadCommonWords,
  estimateRecords,
  estimateShare,
  type WordStatistics,
} from './statistics/word-statistics.ts'
import type { Stems } from './stems/stemming.service.ts'
import {
  findByCombinations,
  findByWords,
  findInSubset,
  type RankedSearch,
  type TextSearch,
} from './text-search.queries.ts'

/** Where common words are searched: among new and salient records. */
const newest = 500
const mostSalient = 100

type LargeStoreInput = {
  stems: Stems
  statistics: WordStatistics
  /** How many of the best results must be exact. */
  exactCount: number
  scopes: readonly string[] | undefined
}

type CommonWordsInput = Pick<LargeStoreInput, 'exactCount' | 'scopes'> & {
  first: RankedMatches
  /** The words that `first` has found. */
  others: readonly Pick<CountedWord, 'word'>[]
  combined: CommonWords & { least: number }
}

/**
 * Returns the search of a store with too many records to read all that have one of the words. First those with rare words are
 * read; then those with combinations of common words that can be better; then, if there are still few, new and salient ones.
 */
export function createLargeStoreSearch({ clock }: { clock: Clock }) {
  async function find(
    db: Database,
    shared: Omit<TextSearch, 'store'>,
    {
      stems: { words, occurrences, remarked, phrased, related: allRelated },
      statistics,
      exactCount,
      scopes,
    }: LargeStoreInput,
  ): Promise<RankedSearch> {
    const share = estimateShare(shared.filterWords, statistics)
    const store = { rows: statistics.rows * share, averageLength: statistics.averageLength }
    const search: TextSearch = { ...shared, store }
    const counted = words.map((word) => ({ word, count: estimateRecords(word, statistics) }))
    const picked = pickWords(counted, { occurrences, remarked, rows: statistics.rows }).map(
      ({ word }) => word,
    )
    const { rare, common } = planSearch(picked, share, statistics)
    const related = pickRelated(allRelated, rare, share, statistics)
    const searched = { words: rare, scoringOnly: common, related }
    const first = rare.length + related.length === 0 ? noMatches : await findByWords(db, search, searched)
    if (common.length === 0) return { search, ranked: first }
    const least = first.matches[exactCount - 1]?.score ?? 0
    if (canReadCommonWords(statistics)) {
      if (computeHighestScore(common, store) < least) return { search, ranked: first }
      const uncounted = [...rare, ...common].map(dropCount)
      return { search, ranked: await findByWords(db, search, { words: uncounted, related }) }
    }
    const combined = { words: common, phrased, share, statistics, least }
    const others = [...rare, ...related]
    return {
      search,
      ranked: await addCommonWords(db, search, { first, others, combined, exactCount, scopes }),
    }
  }

  /** Adds the records that only have common words, where there can be better ones among them than those found. */
  async function addCommonWords(
    db: Database,
    search: TextSearch,
    { first, others, combined: { least, ...common }, exactCount, scopes }: CommonWordsInput,
  ): Promise<RankedMatches> {
    const sets = planCombinations(common, least)
    const combined =
      sets.length === 0 ? noMatches : await findByCombinations(db, search, common.words, { sets, others })
    const known = mergeRanked(first, combined, search.limit)
    if (known.matches.length >= exactCount) return known
    const subset = await chooseSubset(db, search, scopes)
    const newer = await findInSubset(db, search, common.words, { ...subset, others })
    return mergeRanked(known, newer, search.limit)
  }

  /** A bounded part of the store, limited to records that the caller may see. */
  async function chooseSubset(db: Database, search: TextSearch, scopes: readonly string[] | undefined) {
    const { trust, conditions } = search
    const now = clock.now()
    const isScoped = trust.scopes !== null || scopes !== undefined
    const limit = isScoped ? newest : mostSalient
    const selection = { trust, conditions, limit, scopes, asOf: now, isReadableOnly: true }
    const salient = await findMostSalient(db, selection, now)
    return { ids: salient.map(({ id }) => id), newest: isScoped ? 0 : newest }
  }

  return find
}

function dropCount({ word }: CountedWord): CountedWord {
  return { word, count: null }
}
