import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Trust, unscoped } from '../../kernel/caller.ts'
import { readQuery } from '../../records/words.ts'
import { planSearch, reachOf, type Weighed } from './plan.ts'
import { findByText, type Match, readWords, type Search, weighWords } from './queries.ts'

export type TextAsked = {
  sentence: string
  trust: Trust
  /** Narrow by the index itself, where conditions are only met by reading what matched. */
  scopes?: readonly string[]
  types?: readonly string[]
  conditions: readonly RawBuilder<SqlBool>[]
  limit: number
}

/**
 * Up to so many records all are scored, and the answer is exact. Beyond, common words are looked for among so many
 * of the newest: what is older and has none of the rarer words of the sentence is not considered.
 */
const budget = 10_000

/** A sentence has some dozen words; a pasted page would cost each record a hundred look-ups. */
const mostWords = 24

export function createTextChannel({ textLanguage }: { textLanguage: string }) {
  /** The best matches of a sentence, best first; equals by id. */
  async function find(db: Database, asked: TextAsked): Promise<Match[]> {
    const query = readQuery(asked.sentence)
    const words = query.wanted === '' ? [] : await readWords(db, query.wanted, textLanguage)
    if (words.length === 0) return []
    const required = requiredOf(asked)
    const weighed = await weighWords(db, [...words, ...required.flat()])
    const shareOf = new Map(weighed.words.map((each) => [each.word, each]))
    const pick = (list: readonly string[]): Weighed[] =>
      list.map((word) => ({ word, share: shareOf.get(word)?.share ?? null }))
    const reach = required.reduce((product, list) => product * reachOf(pick(list)), 1)
    const telling = pick(words).sort(byShare).slice(0, mostWords)
    const { rare, common } = planSearch(telling, weighed.store, reach, budget)
    const { trust, conditions, limit } = asked
    // In a small store, and of rare words, all matches are read: counted, not estimated.
    const isCounted = weighed.store.rows <= budget
    const search: Search = {
      ...{ trust, conditions, query, textLanguage, required, limit, common, store: weighed.store },
      rare: isCounted ? rare.map(({ word }) => ({ word, share: null })) : rare,
      newest: budget,
    }
    const found = await findByText(db, search)
    if (found.length >= limit || common.length === 0) return found
    // The newest did not have enough that meets the conditions, which come before any cut: so none is made.
    return findByText(db, { ...search, newest: null })
  }

  return { find }
}

function requiredOf({ trust, scopes, types }: TextAsked): string[][] {
  const scopeWords = (list: readonly string[]) => list.map((scope) => `scope ${scope}`)
  return [
    ...(trust.scopes ? [scopeWords([...trust.scopes, unscoped])] : []),
    ...(scopes ? [scopeWords(scopes)] : []),
    ...(types ? [types.map((type) => `type ${type}`)] : []),
  ]
}

function byShare(left: Weighed, right: Weighed): number {
  return (left.share ?? 0) - (right.share ?? 0) || (left.word < right.word ? -1 : 1)
}
