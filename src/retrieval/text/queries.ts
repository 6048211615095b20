import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/visibility.ts'
import type { Trust } from '../../kernel/caller.ts'
import type { Query } from '../../records/words.ts'
import { quoteWord, type Store, type Weighed } from './plan.ts'

/** The words of a text as they are indexed, each once. */
export async function readWords(db: Database, text: string, language: string): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select lexeme as word from unnest(to_tsvector(${language}::text::regconfig, ${text})) order by lexeme
  `.execute(db)
  return rows.map(({ word }) => word)
}

/**
 * How large the store is, how long its texts are, and how common each word. Size and length from a sample of the
 * table's pages, all of them while it is small: the same answer as long as nothing changes, and right for a store
 * filled a moment ago. Shares from PostgreSQL's own statistics, which no writer has to wait for; from the sample
 * where these were made of less than half of what is there now.
 */
export async function weighWords(
  db: Database,
  words: readonly string[],
): Promise<{ store: Store; words: Weighed[] }> {
  const { rows } = await sql<{ row_count: number; average: number; word: string; share: number | null }>`
    with portion as materialized (
      select least(100, ${100 * sampledPages}::float8 * current_setting('block_size')::int
        / greatest(1, pg_relation_size('contents'))) as percent
    ), sample as materialized (
      select c.words, c.search
      from contents as c tablesample system ((select percent from portion)) repeatable (0)
    ), size as materialized (
      select count(*) * 100 / (select percent from portion) as row_count, coalesce(avg(words), 1)::float8 as average
      from sample
    ), known as materialized (
      select s.most_common_elems::text::text[] as words, s.most_common_elem_freqs as shares
      from pg_stats as s, pg_class as t, size
      where s.schemaname = current_schema() and s.tablename = 'contents' and s.attname = 'search'
        and t.oid = 'contents'::regclass and t.reltuples * 2 > size.row_count
        and s.most_common_elems is not null
    )
    select size.row_count, size.average, asked.word,
      case when exists (select from known)
        then (select known.shares[array_position(known.words, asked.word)] from known)
        else (select nullif(count(*) filter (where search @@ quote_literal(asked.word)::tsquery), 0)::float8
          / greatest(1, count(*)) from sample)
      end as share
    from size
    left join unnest(${sql.val([...words])}::text[]) as asked (word) on true
  `.execute(db)
  const store = { rows: rows[0]?.row_count ?? 0, averageLength: Math.max(1, rows[0]?.average ?? 1) }
  return { store, words: rows.map(({ word, share }) => ({ word, share })) }
}

/** 16 MB of table: over ten thousand records of usual size, whose mean length is within some percent of that of all. */
const sampledPages = 2_048

export type Search = {
  trust: Trust
  /** On `records as r` and `contents as c`: whatever is to be met before anything is cut. */
  conditions: readonly RawBuilder<SqlBool>[]
  query: Query
  textLanguage: string
  store: Store
  /** What a match must have one of, for each list. */
  required: readonly (readonly string[])[]
  rare: readonly Weighed[]
  common: readonly Weighed[]
  /** Among how many of the newest a common word is looked for; null for all, which nothing bounds. */
  newest: number | null
  limit: number
}

export type Match = { id: string; score: number }

/**
 * The best by BM25. How often a word occurs is read back from `ts_rank`, which for a single word is the sum of 1/i²
 * up to its count, over the limit of that sum: unnesting each tsvector took fifty times as long. In how many
 * records a rare word occurs is counted here, among those the caller sees, before any condition.
 */
export async function findByText(db: Database, search: Search): Promise<Match[]> {
  const { rare, common, store, newest } = search
  const words = [...rare, ...common]
  const isAny = matches(search, words)
  const isRare = matches(search, rare)
  const counts = sql.join(
    words.map(
      ({ word }, at) => sql`ts_rank('{1,1,1,1}', c.search, ${quoteWord(word)}::tsquery) as ${rankOf(at)}`,
    ),
  )
  const hits = (from: RawBuilder<unknown>, condition: RawBuilder<SqlBool>) => sql`
    select c.record_id as id, c.words, ${every(search.conditions)} as is_wanted, ${counts}
    from ${from} join records as r on r.id = c.record_id
    where ${condition} and r.forgotten_at is null and ${openTo(search.trust)}`
  const among = sql`(select * from contents order by record_id desc limit ${newest}::bigint) as c`
  const isCommonAlone = rare.length === 0 ? isAny : sql<SqlBool>`${isAny} and not (${isRare})`
  const lookedUp =
    newest === null || common.length === 0
      ? hits(sql`contents as c`, isAny)
      : rare.length === 0
        ? hits(among, isAny)
        : sql`${hits(sql`contents as c`, isRare)} union all ${hits(among, isCommonAlone)}`
  // Always one row: an aggregate stands in it even where every frequency is known beforehand.
  const frequencies = sql.join(words.map((word, at) => sql`${frequency(word, at, store)} as ${idfOf(at)}`))
  const parts = words.map((_, at) => contribution(at, store))
  const { rows } = await sql<Match>`
    with hit as materialized (${lookedUp}), total as materialized (
      select count(*) as hits, ${frequencies} from hit
    )
    select id, round((${sql.join(parts, sql` + `)}) * 1e9) / 1e9 as score
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit ${search.limit}
  `.execute(db)
  return rows
}

function matches(search: Search, words: readonly Weighed[]): RawBuilder<SqlBool> {
  const language = sql`${search.textLanguage}::text::regconfig`
  const anyOf = (list: readonly string[]) => sql`${list.map(quoteWord).join(' | ')}::tsquery`
  const clauses = [
    anyOf(words.map(({ word }) => word)),
    ...search.required.map(anyOf),
    ...search.query.phrases.map((phrase) => sql`phraseto_tsquery(${language}, ${phrase})`),
    ...search.query.excluded.map((phrase) => sql`!!phraseto_tsquery(${language}, ${phrase})`),
  ]
  return sql<SqlBool>`c.search @@ (${sql.join(clauses, sql` && `)})`
}

function every(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join([...conditions], sql` and `)})`
}

const rankOf = (at: number) => sql.ref(`rank_${at}`)
const idfOf = (at: number) => sql.ref(`idf_${at}`)

function frequency({ share }: Weighed, at: number, { rows }: Store): RawBuilder<unknown> {
  const count =
    share === null
      ? sql`least(count(*) filter (where ${rankOf(at)} > 0), ${rows}::float8)`
      : sql`${share * rows}::float8`
  return sql`ln(1 + greatest(0, ${rows}::float8 - ${count} + 0.5) / (${count} + 0.5))`
}

const k1 = 1.2
const b = 0.75

/** π²/6, the limit of the sum of 1/i². */
const limitOfRank = Math.PI ** 2 / 6

function contribution(at: number, { averageLength }: Store): RawBuilder<unknown> {
  const rank = rankOf(at)
  const count = sql`round(1 / (${sql.lit(limitOfRank)}::float8 * (1 - ${rank})) - 0.5)`
  const saturation = sql`${k1}::float8 * (${1 - b}::float8 + ${b / averageLength}::float8 * words)`
  return sql`case when ${rank} > 0 then ${idfOf(at)} * ${count} * ${k1 + 1}::float8 / (${count} + ${saturation})
    else 0 end`
}
