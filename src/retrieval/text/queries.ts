import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/visibility.ts'
import type { Trust } from '../../kernel/caller.ts'
import type { Query } from '../../records/words.ts'
import { b, isSmall, k1, quoteWord, type Store, type Weighed } from './plan.ts'

export type Asked = {
  /** The words of the sentence as they are indexed, each once. */
  words: string[]
  /** Those of them that are in a phrase. */
  phrased: string[]
  /** How large the table is that is searched. */
  pages: number
}

export async function readAsked(db: Database, query: Query, language: string): Promise<Asked> {
  const { rows } = await sql<Asked>`
    select tsvector_to_array(to_tsvector(${language}::text::regconfig, ${query.wanted})) as words,
      tsvector_to_array(to_tsvector(${language}::text::regconfig, ${query.phrases.join(' ')})) as phrased,
      pg_relation_size('contents') / current_setting('block_size')::int as pages
  `.execute(db)
  return rows[0] ?? { words: [], phrased: [], pages: 0 }
}

export type Search = {
  trust: Trust
  /** On `records as r` and `contents as c`: whatever is to be met before anything is cut. */
  conditions: readonly RawBuilder<SqlBool>[]
  query: Query
  textLanguage: string
  store: Store
  /** What a match must have one of, for each list. */
  required: readonly (readonly string[])[]
  limit: number
}

export type Match = { id: string; score: number }

/** The best of all that have one of the first words; of the others it counts how often they occur. */
export async function findByWords(
  db: Database,
  search: Search,
  words: readonly Weighed[],
  weighing: readonly Weighed[],
): Promise<Match[]> {
  const isMatch = sql`c.search @@ (${having(search, [words])})`
  const probed = sql`c.record_id = any(array(select c.record_id from contents as c where ${isMatch}))`
  return rank(db, search, [...words, ...weighing], isSmall(search.store) ? isMatch : probed)
}

export type Among = {
  /** The newest of the store, of which those count that the caller sees. */
  newest: number
  ids: readonly string[]
  /** Also what has all of these words. */
  together: readonly string[] | null
}

/** The best by some common words of a bounded part of the store. What has one of the other words is left out. */
export async function findAmong(
  db: Database,
  search: Search,
  words: readonly Weighed[],
  others: readonly Weighed[],
  { newest, ids, together }: Among,
): Promise<Match[]> {
  const joint = together?.map((word) => [{ word }]) ?? []
  const isOther = sql`c.search @@ (${anyOf(others)})`
  // One in two may be hidden before the walk ends with fewer: where more are, it must not pass over all of them.
  const candidates = sql`
    (
      select id from (
        select * from records where forgotten_at is null order by created_at desc, id desc limit ${2 * newest}
      ) as r where ${openTo(search.trust)} limit ${newest}
    )
    union select unnest(${sql.val([...ids])}::uuid[])
    ${together ? sql`union select c.record_id from contents as c where c.search @@ (${having(search, joint)})` : sql``}`
  return rank(
    db,
    search,
    words,
    sql`c.record_id = any(array(${candidates})) and c.search @@ (${having(search, [words])})
      ${others.length > 0 ? sql`and not (${isOther})` : sql``}`,
  )
}

/**
 * The best by BM25. How often a word occurs is read back from `ts_rank`, which for a single word is the sum of 1/i²
 * up to its count, over the limit of that sum: there is no other way to it without unnesting the whole text. In
 * how many records a rare word occurs is counted here, among those the caller sees, before any condition.
 *
 * Ids come as an array: PostgreSQL looks each up, where to a thousand rows of a join it would read a whole table.
 */
async function rank(
  db: Database,
  search: Search,
  words: readonly Weighed[],
  isHit: RawBuilder<unknown>,
): Promise<Match[]> {
  const { store, conditions, trust, limit } = search
  const ranks = words.map(
    ({ word }, at) => sql`ts_rank('{1,1,1,1}', c.search, ${quoteWord(word)}::tsquery) as ${rankOf(at)}`,
  )
  const met = conditions.length === 0 ? sql`true` : sql`(${sql.join([...conditions], sql` and `)})`
  // Always one row: an aggregate stands in it even where every frequency is known beforehand.
  const idfs = words.map((word, at) => sql`${frequency(word, at, store)} as ${idfOf(at)}`)
  const parts = words.map((_, at) => contribution(at, store))
  const { rows } = await sql<Match>`
    with hit as materialized (
      select c.record_id as id, c.words, ${met} as is_wanted, ${sql.join(ranks)}
      from contents as c join records as r on r.id = c.record_id
      where ${isHit} and r.forgotten_at is null and ${openTo(trust)}
    ), total as materialized (
      select count(*) as hits, ${sql.join(idfs)} from hit
    )
    select id, round((${sql.join(parts, sql` + `)}) * 1e9) / 1e9 as score
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit ${limit}
  `.execute(db)
  return rows
}

type Word = Pick<Weighed, 'word'>

const anyOf = (words: readonly Word[]) =>
  sql`${words.map(({ word }) => quoteWord(word)).join(' | ')}::tsquery`

/** One of each list, and whatever else the sentence demands. */
function having(search: Search, lists: readonly (readonly Word[])[]): RawBuilder<unknown> {
  const phraseOf = (phrase: string) =>
    sql`phraseto_tsquery(${search.textLanguage}::text::regconfig, ${phrase})`
  const clauses = [
    ...lists.map(anyOf),
    ...search.required.map((words) => anyOf(words.map((word) => ({ word })))),
    ...search.query.phrases.map(phraseOf),
    ...search.query.excluded.map((phrase) => sql`!!${phraseOf(phrase)}`),
  ]
  return sql.join(clauses, sql` && `)
}

const rankOf = (at: number) => sql.ref(`rank_${at}`)
const idfOf = (at: number) => sql.ref(`idf_${at}`)

function frequency({ count }: Weighed, at: number, { rows }: Store): RawBuilder<unknown> {
  const having =
    count === null
      ? sql`least(count(*) filter (where ${rankOf(at)} > 0), ${rows}::float8)`
      : sql`${count}::float8`
  return sql`ln(1 + greatest(0, ${rows}::float8 - ${having} + 0.5) / (${having} + 0.5))`
}

/** π²/6, the limit of the sum of 1/i². */
const limitOfRank = Math.PI ** 2 / 6

function contribution(at: number, { averageLength }: Store): RawBuilder<unknown> {
  const rank = rankOf(at)
  const count = sql`round(1 / (${sql.lit(limitOfRank)}::float8 * (1 - ${rank})) - 0.5)`
  const saturation = sql`${k1}::float8 * (${1 - b}::float8 + ${b / averageLength}::float8 * words)`
  return sql`case when ${rank} > 0 then ${idfOf(at)} * ${count} * ${k1 + 1}::float8 / (${count} + ${saturation})
    else 0 end`
}
