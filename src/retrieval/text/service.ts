import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Trust, unscoped } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findMostSalient } from '../../records/index.ts'
import { readQuery } from '../../records/words.ts'
import { measureOpen } from './lexicon/queries.ts'
import { createLexiconKeeper } from './lexicon/service.ts'
import {
  isSmall,
  type Plan,
  planSearch,
  rarestFirst,
  reachOf,
  scoreOfAll,
  type Weighed,
  wordsTogether,
} from './plan.ts'
import { type Asked, findAmong, findByWords, type Match, readAsked, type Search } from './queries.ts'

export type TextAsked = {
  sentence: string
  trust: Trust
  /** Narrow by the index itself, where conditions are only met by reading what matched. */
  scopes?: readonly string[]
  types?: readonly string[]
  conditions: readonly RawBuilder<SqlBool>[]
  limit: number
}

/** 1 MB, some hundred records: counting those that the caller sees takes less than a millisecond. */
const countedPages = 128

/** A sentence has some dozen words; a pasted page would cost each record a hundred look-ups. */
const mostWords = 24

/** Where common words are looked for in a large store: new and salient is what is likely to be wanted. */
const newest = 750
const mostSalient = 250

type Resources = { clock: Clock; textLanguage: string }

/**
 * What a caller may not see is not found, and takes no part in the count of a rare word. With one exception: of a
 * store of more than some pages, its size, the length of its texts and how common its common words are come from
 * all its records, once a minute or when it has doubled. Counting them for each caller would read them all.
 */
export function createTextChannel({ clock, textLanguage }: Resources) {
  const { lexiconFor } = createLexiconKeeper({ clock })

  /** The best matches of a sentence, best first; equals by id. */
  async function find(db: Database, asked: TextAsked): Promise<Match[]> {
    const { trust, conditions, limit } = asked
    const query = readQuery(asked.sentence)
    if (query.wanted === '') return []
    const read = await readAsked(db, query, textLanguage)
    if (read.words.length === 0) return []
    const shared = { trust, conditions, limit, query, textLanguage, required: requiredOf(asked) }
    if (read.pages > countedPages) return findInMany(db, shared, read, asked.scopes)
    const words = read.words.slice(0, mostWords).map((word) => ({ word, count: null }))
    return findByWords(db, { ...shared, store: await measureOpen(db, trust) }, words, [])
  }

  async function findInMany(
    db: Database,
    shared: Omit<Search, 'store'>,
    { words, phrased, pages }: Asked,
    scopes: readonly string[] | undefined,
  ): Promise<Match[]> {
    const lexicon = await lexiconFor(db, pages)
    const reach = reachOf(shared.required, lexicon)
    const store = { rows: lexicon.rows * reach, averageLength: lexicon.averageLength }
    const search: Search = { ...shared, store }
    const telling = rarestFirst(words, lexicon).slice(0, mostWords)
    const plan = planSearch(telling, reach, lexicon)
    const { rare, common } = plan
    const found = rare.length === 0 ? [] : await findByWords(db, search, rare, common)
    if (isSettled(found, plan, search)) return found
    if (isSmall(lexicon)) return findByWords(db, search, [...rare, ...common.map(toCount)], [])
    const among = {
      ...(await listLikely(db, search, scopes)),
      together: wordsTogether(phrased, plan, reach, lexicon),
    }
    const others = await findAmong(db, search, common, rare, among)
    return [...found, ...others].sort(byScore).slice(0, search.limit)
  }

  /** A bounded part of the store, of which the caller sees as much as there is to see. */
  async function listLikely(db: Database, search: Search, scopes: readonly string[] | undefined) {
    const { trust, conditions } = search
    const now = clock.now()
    const isScoped = trust.scopes !== null || scopes !== undefined
    const limit = isScoped ? newest + mostSalient : mostSalient
    const sought = { trust, conditions, limit, asOf: now, isWhole: true, ...(scopes ? { scopes } : {}) }
    const salient = await findMostSalient(db, sought, now)
    return { ids: salient.map(({ id }) => id), newest: isScoped ? 0 : newest }
  }

  return { find }
}

/** Nothing that has only the common words is to be expected before what is found. */
function isSettled(found: readonly Match[], { common }: Plan, { limit, store }: Search): boolean {
  if (common.length === 0) return true
  return found.length >= limit && (found.at(-1)?.score ?? 0) > scoreOfAll(common, store)
}

function toCount({ word }: Weighed): Weighed {
  return { word, count: null }
}

function byScore(one: Match, other: Match): number {
  return other.score - one.score || (one.id < other.id ? -1 : 1)
}

function requiredOf({ trust, scopes, types }: TextAsked): string[][] {
  const scopeWords = (list: readonly string[]) => list.map((scope) => `scope ${scope}`)
  return [
    ...(trust.scopes ? [scopeWords([...trust.scopes, unscoped])] : []),
    ...(scopes ? [scopeWords(scopes)] : []),
    ...(types ? [types.map((type) => `type ${type}`)] : []),
  ]
}
