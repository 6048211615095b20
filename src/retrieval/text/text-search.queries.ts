import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import type { Match } from '../channels/match.ts'
import type { RankedMatches } from './ranked-matches.ts'
import { selectScoreColumns } from './score-columns.queries.ts'
import type { CountedWord, StoreSize } from './statistics/word-statistics.ts'
import { computeGain, pickRelatedTo, type RelatedStem } from './stems/related-stems.ts'
import {
  andNone,
  containsAny,
  containsSet,
  type RequiredWords,
  type Word,
} from './word-conditions.queries.ts'

export type TextSearch = RequiredWords & {
  trust: Trust
  /** Conditions on `records as r` and `contents as c` that hold before anything is cut off. */
  conditions: Conditions
  store: StoreSize
  limit: number
  /** Words that only stand in remarks beside the question. */
  remarked: ReadonlySet<string>
  /** Whether forgotten records are searched too. */
  includesForgotten?: boolean
}

/** The matches, and the search with the size of the store on which their scores depend. */
export type RankedSearch = { search: TextSearch; ranked: RankedMatches }

export type SearchedWords = {
  /** A match contains one of these words, or one of `related`. */
  words: readonly CountedWord[]
  /** These only add to the score. */
  scoringOnly?: readonly CountedWord[]
  related?: readonly RelatedStem[]
}

/** Finds the best records by the words of a question, and by those that stand for them. */
export async function findByWords(
  db: Database,
  search: TextSearch,
  { words, scoringOnly = [], related: all = [] }: SearchedWords,
): Promise<RankedMatches> {
  const scored = [...words, ...scoringOnly]
  const related = pickRelatedTo(scored, all)
  return rank(db, search, { words: scored, related, condition: containsAny(search, [...words, ...related]) })
}

/** Records with one of the `others` are left out: they are found already. */
type Others = { others: readonly Word[] }

/** Finds the best records that contain all words of one of the sets. */
export async function findByCombinations(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  { sets, others }: Others & { sets: readonly (readonly string[])[] },
): Promise<RankedMatches> {
  return rank(db, search, { words, condition: sql`${containsSet(search, sets)} ${andNone(others)}` })
}

export type Subset = {
  /** How many of the newest records are searched. Only those count that the caller sees. */
  newest: number
  ids: readonly string[]
}

/** Finds the best records by common words in a bounded part of the store. */
export async function findInSubset(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  { newest, ids, others }: Others & Subset,
): Promise<RankedMatches> {
  // Reads twice as many, because the caller may not see half of them. With more hidden records it returns fewer,
  // instead of scanning all of them.
  const subset = sql`
    (
      select id from (
        select * from records where forgotten_at is null
        order by created_at desc, id desc limit ${sql.lit(2 * newest)}
      ) as r where ${openTo(search.trust)} limit ${sql.lit(newest)}
    )
    union select unnest(${ids}::uuid[])`
  const condition = sql`c.record_id = any(array(${subset})) and ${containsAny(search, words)}
      ${andNone(others)}`
  return rank(db, search, { words, condition })
}

type Ranking = {
  words: readonly CountedWord[]
  related?: readonly RelatedStem[]
  /** Which texts `contents as c` are ranked. */
  condition: RawBuilder<unknown>
}

/**
 * Ranks by BM25. The frequency of a rare word is counted here, among the records that the caller sees, before any
 * other condition. `offset 0` makes PostgreSQL look up each record by its id; for a plain join of a thousand rows it
 * may read a whole table. The answer is one row, because a driver takes longer for fifty. `total` always has one row, because it
 * contains an aggregate even when every frequency is known beforehand.
 */
async function rank(
  db: Database,
  search: TextSearch,
  { words, related = [], condition }: Ranking,
): Promise<RankedMatches> {
  const { store, conditions, trust, limit, remarked, includesForgotten } = search
  const andUnforgotten = includesForgotten ? sql`` : sql`and r.forgotten_at is null`
  const isMatch = conditions.length === 0 ? sql`true` : sql`(${joinConditions(conditions)})`
  const columns = selectScoreColumns({ words, related, remarked }, store)
  const { rows } = await sql<{ matches: string | null; idfs: string | null }>`
    with found as materialized (
      select c.record_id as id, ${columns.length} as length, ${columns.knownScore} as known ${columns.counts}
      from contents as c where ${condition}
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select ${isMatch} as is_match from records as r
        where r.id = found.id ${andUnforgotten} and ${openTo(trust)}
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches ${columns.idfs} from visible
    ), best as (
      select id, round((known + ${columns.countedScore}) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit ${limit}
    )
    select (select string_agg(id || ' ' || score, ',' order by score desc, id) from best) as matches,
      ${columns.idfList} as idfs
    from total
  `.execute(db)
  const [answer] = rows
  const idfs = readIdfs(columns, answer?.idfs?.split(' ') ?? [])
  const getIdf = (word: string) => idfs.get(word) ?? 0
  const relatedWords = new Set(related.map(({ word }) => word))
  return {
    // A record may contain nothing but the correction of a word that is not misspelled.
    matches: (answer?.matches?.split(',').map(readMatch) ?? []).filter(({ score }) => score > 0),
    related: related.map((each) => ({
      ...each,
      gain: computeGain(each, { idf: getIdf(each.word), idfOfWord: getIdf(each.of) }, store),
    })),
    idfs: new Map([...idfs].filter(([word]) => !relatedWords.has(word))),
  }
}

type Columns = Pick<ReturnType<typeof selectScoreColumns>, 'countedWords' | 'knownWords'>

function readIdfs({ countedWords, knownWords }: Columns, counted: readonly string[]): Map<string, number> {
  const idfs = new Map(knownWords.map(({ word, idf }) => [word, idf]))
  for (const [at, each] of countedWords.entries()) if (each) idfs.set(each.word, Number(counted[at] ?? 0))
  return idfs
}

function readMatch(text: string): Match {
  const [id = '', score] = text.split(' ')
  return { id, score: Number(score) }
}
