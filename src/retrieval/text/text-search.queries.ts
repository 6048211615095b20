import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/visibility.ts'
import type { Trust } from '../../domain/caller.ts'
import type { TextQuery } from '../../domain/query-words.ts'
import type { Match } from '../match.ts'
import {
  b,
  type CountedWord,
  k1,
  padPlaces,
  quoteWord,
  type StoreSize,
  toAlternatives,
} from './search-plan.ts'
import { listPhrases, occurrences } from './word-conditions.queries.ts'

export type TextSearch = {
  trust: Trust
  /** Conditions on `records as r` and `contents as c` that hold before anything is cut off. */
  conditions: readonly RawBuilder<SqlBool>[]
  query: TextQuery
  textLanguage: string
  store: StoreSize
  /** For each list, a match must contain at least one of its words. */
  required: readonly (readonly string[])[]
  limit: number
}

/** The best matches, and how rare each word of the question is. */
export type RankedMatches = { matches: Match[]; idfs: ReadonlyMap<string, number> }

/** Finds the best records that contain one of `words`. The words in `scoringOnly` only add to the score. */
export async function findByWords(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  scoringOnly: readonly CountedWord[],
): Promise<RankedMatches> {
  const isMatch = sql`c.search @@ (${having(search, anyOf(words))})`
  return rank(db, search, [...words, ...scoringOnly], isMatch)
}

/** Only records that contain none of the other words. */
type Rest = { others: readonly CountedWord[] }

/** Finds the best records that contain all words of one of the sets. */
export async function findJointMatches(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  { sets, others }: Rest & { sets: readonly (readonly string[])[] },
): Promise<RankedMatches> {
  return rank(db, search, words, sql`c.search @@ (${togetherIn(search, sets)}) ${without(others)}`)
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
  { newest, ids, others }: Rest & Subset,
): Promise<RankedMatches> {
  // Reads twice as many, because the caller may not see half of them. With more hidden records it returns fewer,
  // instead of scanning all of them.
  const candidates = sql`
    (
      select id from (
        select * from records where forgotten_at is null
        order by created_at desc, id desc limit ${sql.lit(2 * newest)}
      ) as r where ${openTo(search.trust)} limit ${sql.lit(newest)}
    )
    union select unnest(${sql.val([...ids])}::uuid[])`
  return rank(
    db,
    search,
    words,
    sql`c.record_id = any(array(${candidates})) and c.search @@ (${having(search, anyOf(words))})
      ${without(others)}`,
  )
}

function without(others: readonly CountedWord[]): RawBuilder<unknown> {
  return others.length > 0 ? sql`and not (c.search @@ (${anyOf(others)}))` : sql``
}

/**
 * Ranks by BM25. The frequency of a rare word is counted here, among the records that the caller sees, before any
 * other condition. `offset 0` makes PostgreSQL look up each record by its id; for a plain join of a thousand rows it
 * may read a whole table.
 */
async function rank(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  isHit: RawBuilder<unknown>,
): Promise<RankedMatches> {
  const { store, conditions, trust, limit } = search
  const places = padPlaces(words)
  const counts = places.map((each, at) => sql`${occurrences(each?.word)} as ${countOf(at)}`)
  const length = sql`${k1 * (1 - b)}::float8 + ${(k1 * b) / store.averageLength}::float8 * c.words`
  const met = conditions.length === 0 ? sql`true` : sql`(${sql.join([...conditions], sql` and `)})`
  // Always one row: it contains an aggregate even when every frequency is known beforehand.
  const idfs = places.map((each, at) => sql`${frequency(each, at, store)} as ${idfOf(at)}`)
  const parts = places.map(
    (_, at) => sql`${idfOf(at)} * ${countOf(at)} * ${sql.lit(k1 + 1)}::float8 / (${countOf(at)} + length)`,
  )
  const { rows } = await sql<Match & { idfs: number[] }>`
    with found as materialized (
      select c.record_id as id, ${length} as length, ${sql.join(counts)} from contents as c where ${isHit}
    ), hit as materialized (
      select found.*, seen.is_wanted
      from found cross join lateral (
        select ${met} as is_wanted from records as r
        where r.id = found.id and r.forgotten_at is null and ${openTo(trust)}
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as hits, ${sql.join(idfs)} from hit
    )
    select id, round((${sql.join(parts, sql` + `)}) * 1e9) / 1e9 as score,
      array[${sql.join(places.map((_, at) => idfOf(at)))}]::float8[] as idfs
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit ${limit}
  `.execute(db)
  const rarity = rows[0]?.idfs ?? []
  return {
    matches: rows.map(({ id, score }) => ({ id, score })),
    idfs: new Map(words.map(({ word }, at) => [word, rarity[at] ?? 0])),
  }
}

type Word = Pick<CountedWord, 'word'>

const anyOf = (words: readonly Word[]) =>
  sql`${words.map(({ word }) => quoteWord(word)).join(' | ')}::tsquery`

function togetherIn(search: TextSearch, sets: readonly (readonly string[])[]): RawBuilder<unknown> {
  return having(search, sql`${toAlternatives(sets)}::tsquery`)
}

/** The words, and everything else that the sentence demands. */
function having(search: TextSearch, words: RawBuilder<unknown>): RawBuilder<unknown> {
  const clauses = [
    words,
    ...search.required.map((words) => anyOf(words.map((word) => ({ word })))),
    ...listPhrases(search),
  ]
  return sql.join(clauses, sql` && `)
}

const countOf = (at: number) => sql.ref(`count_${at}`)
const idfOf = (at: number) => sql.ref(`idf_${at}`)

/** The inverse document frequency of a word, known beforehand or counted here. */
function frequency(word: CountedWord | undefined, at: number, { rows }: StoreSize): RawBuilder<unknown> {
  const count = word?.count ?? null
  const known = count === null ? null : Math.log(1 + Math.max(0, rows - count + 0.5) / (count + 0.5))
  const having = sql`least(count(*) filter (where ${countOf(at)} > 0), ${rows}::float8)`
  return sql`coalesce(${known}::float8, ln(1 + greatest(0, ${rows}::float8 - ${having} + 0.5) / (${having} + 0.5)))`
}
