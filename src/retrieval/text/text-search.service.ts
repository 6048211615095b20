import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Trust, unscoped } from '../../domain/caller.ts'
import { readQuery } from '../../domain/query-words.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findMostSalient } from '../../records/index.ts'
import {
  type CountedWord,
  computeHighestScore,
  estimateShare,
  isSmall,
  planJoint,
  planSearch,
  sortRarestFirst,
} from './search-plan.ts'
import { createStemmer, type Stems } from './stemming.service.ts'
import {
  findByWords,
  findInSubset,
  findJointMatches,
  type Match,
  type TextSearch,
} from './text-search.queries.ts'
import { measureVisible } from './word-statistics.queries.ts'
import { createWordStatistics } from './word-statistics.service.ts'

export type TextSearchInput = {
  sentence: string
  trust: Trust
  /** Narrow by the index itself, where conditions are only met by reading what matched. */
  scopes?: readonly string[]
  types?: readonly string[]
  conditions: readonly RawBuilder<SqlBool>[]
  limit: number
  /** So many of the best are to be right, ten unless told; behind them the cheaply found may stand before the better. */
  certain?: number
}

/** 1 MB, some hundred records: counting those that the caller sees takes less than a millisecond. */
const countedPages = 128

/** A sentence has some dozen words; a pasted page would cost each record a hundred look-ups. */
const mostWords = 24

/** Where common words are looked for in a large store: new and salient is what is likely to be wanted. */
const newest = 500
const mostSalient = 100

type Resources = { clock: Clock; textLanguage: string }

type Sought = Stems & { pages: number; certain: number; scopes: readonly string[] | undefined }

/**
 * What a caller may not see is not found, and takes no part in the count of a rare word. With one exception: of a
 * store of more than some pages, its size, the length of its texts and how common its common words are come from
 * all its records, once a minute or when it has doubled. Counting them for each caller would read them all.
 */
export function createTextSearch({ clock, textLanguage }: Resources) {
  const { pagesOf, lexiconFor } = createWordStatistics({ clock, fewPages: countedPages })
  const { stemsIn } = createStemmer({ textLanguage })

  /** The best matches of a sentence, best first; equals by id. */
  async function find(db: Database, asked: TextSearchInput): Promise<Match[]> {
    const { trust, conditions, limit, certain = 10 } = asked
    const query = readQuery(asked.sentence)
    if (query.alternatives === '') return []
    const [stems, pages] = await Promise.all([stemsIn(db, query), pagesOf(db)])
    if (stems.words.length === 0) return []
    const shared = { trust, conditions, limit, query, textLanguage, required: requiredOf(asked) }
    if (pages > countedPages) {
      return findInMany(db, shared, { ...stems, pages, certain, scopes: asked.scopes })
    }
    const words = stems.words.slice(0, mostWords).map((word) => ({ word, count: null }))
    return findByWords(db, { ...shared, store: await measureVisible(db, trust) }, words, [])
  }

  async function findInMany(
    db: Database,
    shared: Omit<TextSearch, 'store'>,
    { words, phrased, pages, certain, scopes }: Sought,
  ): Promise<Match[]> {
    const lexicon = await lexiconFor(db, pages)
    const reach = estimateShare(shared.required, lexicon)
    const search: TextSearch = {
      ...shared,
      store: { rows: lexicon.rows * reach, averageLength: lexicon.averageLength },
    }
    const { rare, common } = planSearch(sortRarestFirst(words, lexicon).slice(0, mostWords), reach, lexicon)
    const found = rare.length === 0 ? [] : await findByWords(db, search, rare, common)
    if (common.length === 0) return found
    const least = found[certain - 1]?.score ?? 0
    if (isSmall(lexicon)) {
      if (computeHighestScore(common, search.store) < least) return found
      return findByWords(db, search, [...rare, ...common].map(toCount), [])
    }
    const sets = planJoint({ words: common, phrased, reach, lexicon }, least)
    const joint = sets.length === 0 ? [] : await findJointMatches(db, search, common, { sets, others: rare })
    const known = [...found, ...joint].sort(byScore).slice(0, search.limit)
    if (known.length >= certain) return known
    const likely = await listLikely(db, search, scopes)
    const others = await findInSubset(db, search, common, { ...likely, others: rare })
    const byId = new Map([...known, ...others].map((match) => [match.id, match]))
    return [...byId.values()].sort(byScore).slice(0, search.limit)
  }

  /** A bounded part of the store, of which the caller sees as much as there is to see. */
  async function listLikely(db: Database, search: TextSearch, scopes: readonly string[] | undefined) {
    const { trust, conditions } = search
    const now = clock.now()
    const isScoped = trust.scopes !== null || scopes !== undefined
    const limit = isScoped ? newest : mostSalient
    const sought = {
      trust,
      conditions,
      limit,
      asOf: now,
      isReadableOnly: true,
      ...(scopes ? { scopes } : {}),
    }
    const salient = await findMostSalient(db, sought, now)
    return { ids: salient.map(({ id }) => id), newest: isScoped ? 0 : newest }
  }

  return { find }
}

function toCount({ word }: CountedWord): CountedWord {
  return { word, count: null }
}

function byScore(one: Match, other: Match): number {
  return other.score - one.score || (one.id < other.id ? -1 : 1)
}

function requiredOf({ trust, scopes, types }: TextSearchInput): string[][] {
  const scopeWords = (list: readonly string[]) => list.map((scope) => `scope ${scope}`)
  return [
    ...(trust.scopes ? [scopeWords([...trust.scopes, unscoped])] : []),
    ...(scopes ? [scopeWords(scopes)] : []),
    ...(types ? [types.map((type) => `type ${type}`)] : []),
  ]
}
