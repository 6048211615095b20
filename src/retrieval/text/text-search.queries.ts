import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { Trust } from '../../domain/caller.ts'
import type { TextQuery } from '../../domain/query-words.ts'
import type { Match } from '../match.ts'
import { b, computeIdf, k1 } from './bm25.ts'
import type { RankedMatches } from './ranked-matches.ts'
import { computeGain, pickRelatedTo, type RelatedStem } from './related-stems.ts'
import { listRequiredQueries } from './text-requirements.queries.ts'
import { padPlaces, quoteWord, toAlternatives } from './tsquery.ts'
import { selectOccurrences } from './word-occurrences.queries.ts'
import type { CountedWord, StoreSize } from './word-statistics.ts'

export type TextSearch = {
  trust: Trust
  /** Conditions on `records as r` and `contents as c` that hold before anything is cut off. */
  conditions: Conditions
  query: TextQuery
  textLanguage: string
  store: StoreSize
  /** Scopes and types as words: of each list, a match must contain at least one. */
  filterWords: readonly (readonly string[])[]
  limit: number
  /** Whether forgotten records are searched too. */
  includesForgotten?: boolean
}

/** What was found, and the search with the size of the store that the scores depend on. */
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
  const related = pickRelatedTo([...words, ...scoringOnly], all)
  const isMatch = matchesQuery(selectHaving(search, matchAny([...words, ...related])))
  return rank(db, search, [...words, ...scoringOnly], isMatch, related)
}

/** Only records that contain none of the other words. */
type Rest = { others: readonly Word[] }

/** Finds the best records that contain all words of one of the sets. */
export async function findJointMatches(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  { sets, others }: Rest & { sets: readonly (readonly string[])[] },
): Promise<RankedMatches> {
  return rank(db, search, words, sql`${matchesQuery(matchTogether(search, sets))} ${excludeWords(others)}`)
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
    sql`c.record_id = any(array(${candidates})) and ${matchesQuery(selectHaving(search, matchAny(words)))}
      ${excludeWords(others)}`,
  )
}

function excludeWords(others: readonly Word[]): RawBuilder<unknown> {
  return others.length > 0 ? sql`and not (c.search @@ (${matchAny(others)}))` : sql``
}

/** Read once, as a value: PostgreSQL then keeps one plan, and does not plan the statement again for each question. */
const matchesQuery = (query: RawBuilder<unknown>) => sql`c.search @@ (select ${query})`

/**
 * Ranks by BM25. The frequency of a rare word is counted here, among the records that the caller sees, before any
 * other condition. `offset 0` makes PostgreSQL look up each record by its id; for a plain join of a thousand rows it
 * may read a whole table. The answer is one row, because a driver takes longer for fifty.
 */
async function rank(
  db: Database,
  search: TextSearch,
  words: readonly CountedWord[],
  isHit: RawBuilder<unknown>,
  related: readonly RelatedStem[] = [],
): Promise<RankedMatches> {
  const { store, conditions, trust, limit, includesForgotten } = search
  const kept = includesForgotten ? sql`` : sql`and r.forgotten_at is null`
  const { counted, knownWords, length, ...columns } = selectScoreColumns(words, related, store)
  const met = conditions.length === 0 ? sql`true` : sql`(${joinConditions(conditions)})`
  const { rows } = await sql<{ matches: string | null; idfs: string | null }>`
    with found as materialized (
      select c.record_id as id, ${length} as length, ${columns.known} as known ${columns.counts}
      from contents as c where ${isHit}
    ), hit as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select ${met} as is_match from records as r
        where r.id = found.id ${kept} and ${openTo(trust)}
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as hits ${columns.idfs} from hit
    ), best as (
      select id, round((known + ${columns.gained}) * 1e9) / 1e9 as score
      from hit cross join total
      where is_match
      order by score desc, id
      limit ${limit}
    )
    select (select string_agg(id || ' ' || score, ',' order by score desc, id) from best) as matches,
      array_to_string(array[${sql.join(counted.map((_, at) => selectIdf(at)))}]::float8[], ' ') as idfs
    from total
  `.execute(db)
  const [answer] = rows
  const idfs = answer?.idfs?.split(' ') ?? []
  const rarity = new Map(knownWords.map(({ word, idf }) => [word, idf]))
  for (const [at, each] of counted.entries()) if (each) rarity.set(each.word, Number(idfs[at] ?? 0))
  const weighed = related.map((each) => ({
    ...each,
    gain: computeGain(each, rarity.get(each.word) ?? 0, rarity.get(each.of) ?? 0),
  }))
  for (const { word } of related) rarity.delete(word)
  return { matches: answer?.matches?.split(',').map(readMatch) ?? [], idfs: rarity, related: weighed }
}

/**
 * The columns of a score: what words of known frequency add is summed in `known`; the others are counted first. `total`
 * always has one row, because it contains an aggregate even when every frequency is known beforehand.
 */
function selectScoreColumns(
  words: readonly CountedWord[],
  related: readonly RelatedStem[],
  store: StoreSize,
) {
  const own = padPlaces(words.filter(({ count }) => count === null))
  const others = padPlaces(related)
  const counted = [...own, ...others]
  const knownWords = words.flatMap(({ word, count }) =>
    count === null ? [] : [{ word, idf: computeIdf(count, store) }],
  )
  const length = sql`${k1 * (1 - b)}::float8 + ${(k1 * b) / store.averageLength}::float8 * c.words`
  const knownGains = padPlaces(knownWords).map((each) =>
    selectOccurrences(each?.word, (count) => selectGain(sql`${each?.idf ?? 0}::float8`, count, length)),
  )
  const counts = counted.map(
    (each, at) => sql`, ${selectOccurrences(each?.word, (count) => count)} as ${selectCount(at)}`,
  )
  const idfs = counted.map((_, at) => sql`, ${computeIdfOfCounted(at, store)} as ${selectIdf(at)}`)
  return {
    counted,
    knownWords,
    length,
    known: addUp(knownGains),
    counts: sql.join(counts, sql``),
    idfs: sql.join(idfs, sql``),
    gained: addUp([
      ...own.map((_, at) => selectGain(selectIdf(at), selectCount(at), sql`length`)),
      ...others.map((each, nth) => {
        const at = own.length + nth
        const idf = selectIdfOfRelated(each, at, { own, knownWords })
        return selectGain(idf, selectCount(at), sql`length`)
      }),
    ]),
  }
}

function readMatch(text: string): Match {
  const [id = '', score] = text.split(' ')
  return { id, score: Number(score) }
}

/** What a word adds to the score of a text; null where it is absent. */
function selectGain(idf: RawBuilder<unknown>, count: RawBuilder<unknown>, length: RawBuilder<unknown>) {
  return sql`${idf} * ${sql.lit(k1 + 1)}::float8 / (1 + (${length}) / ${count})`
}

function addUp(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join([sql`0::float8`, ...parts.map((part) => sql`coalesce(${part}, 0)`)], sql` + `)
}

type Word = Pick<CountedWord, 'word'>

const matchAny = (words: readonly Word[]) =>
  sql`${words.map(({ word }) => quoteWord(word)).join(' | ')}::tsquery`

function matchTogether(search: TextSearch, sets: readonly (readonly string[])[]): RawBuilder<unknown> {
  return selectHaving(search, sql`${toAlternatives(sets)}::tsquery`)
}

/** The words, and everything else that the sentence requires. */
function selectHaving(search: TextSearch, words: RawBuilder<unknown>): RawBuilder<unknown> {
  const clauses = [
    words,
    ...search.filterWords.map((words) => matchAny(words.map((word) => ({ word })))),
    ...listRequiredQueries(search),
  ]
  return sql.join(clauses, sql` && `)
}

type Words = { own: readonly (Word | undefined)[]; knownWords: readonly (Word & { idf: number })[] }

/** The idf of a related word counts up to that of its word. A place in an array, so that the statement stays the same for other words. */
function selectIdfOfRelated(each: RelatedStem | undefined, at: number, { own, knownWords }: Words) {
  const idfs = [
    ...own.map((_, place) => selectIdf(place)),
    ...knownWords.map(({ idf }) => sql`${idf}::float8`),
  ]
  const place = [...own, ...knownWords].findIndex((word) => word?.word === each?.of) + 1
  return sql`${each?.weight ?? 0}::float8 * least(${selectIdf(at)}, (array[${sql.join(idfs)}])[${place}::int4])`
}

const selectCount = (at: number) => sql.ref(`count_${at}`)
const selectIdf = (at: number) => sql.ref(`idf_${at}`)

/** The idf of a word whose records the statement counts, as `estimateIdf` computes it. */
function computeIdfOfCounted(at: number, { rows }: StoreSize): RawBuilder<unknown> {
  const having = sql`least(count(${selectCount(at)}), ${rows}::float8)`
  return sql`ln(1 + greatest(0, ${rows}::float8 - ${having} + 0.5) / (${having} + 0.5))`
}
