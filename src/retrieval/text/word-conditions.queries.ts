import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Conditions } from '../../db/conditions.ts'
import type { TextQuery } from '../../domain/query-words.ts'
import { quoteWord } from './search-plan.ts'

type Demands = { query: Pick<TextQuery, 'phrases' | 'excluded'>; textLanguage: string }

/** Parts of statements over `contents as c`, which more than one of them needs. */

/** What every answer must contain or lack: the phrases in quotes, and the words behind a minus. */
export function listDemands(search: Demands): RawBuilder<unknown>[] {
  const { contained, lacked } = readDemands(search)
  return [...contained, ...lacked.map((isIn) => sql`not (${isIn})`)]
}

/** The same over `records as r`. Both are conditions that PostgreSQL can answer from the index of words or by the id. */
export function listRecordDemands(search: Demands): Conditions {
  const { contained, lacked } = readDemands(search)
  const among = (isIn: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select from contents as c where c.record_id = r.id and ${isIn})`
  return [...contained.map(among), ...lacked.map((isIn) => sql<SqlBool>`not ${among(isIn)}`)]
}

/** A phrase of stop words demands nothing, but an empty query matches no text. */
const anyText = sql`'!''-'''::tsquery`

function readDemands({ query: { phrases, excluded }, textLanguage }: Demands) {
  const isIn = (query: RawBuilder<unknown>) => sql`c.search @@ (select ${query})`
  const all = sql`coalesce(nullif(${requireAll(phrases, textLanguage)}, ''::tsquery), ${anyText})`
  return {
    contained: phrases.length > 0 ? [isIn(all)] : [],
    lacked: excluded.length > 0 ? [isIn(requireAny(excluded, textLanguage))] : [],
  }
}

export function listPhrases({ query: { phrases, excluded }, textLanguage }: Demands): RawBuilder<unknown>[] {
  return [
    ...(phrases.length > 0 ? [requireAll(phrases, textLanguage)] : []),
    ...(excluded.length > 0 ? [sql`!!${requireAny(excluded, textLanguage)}`] : []),
  ]
}

const requireAll = (phrases: readonly string[], language: string) => joinPhrases(phrases, ' & ', language)
const requireAny = (phrases: readonly string[], language: string) => joinPhrases(phrases, ' | ', language)

/** One statement for any number of phrases: a sentence can have thousands, and each part of a statement is planned. */
function joinPhrases(phrases: readonly string[], joint: string, language: string) {
  return sql`coalesce((
    select string_agg(concat('(', phrase, ')'), ${sql.lit(joint)})::tsquery
    from (
      select phraseto_tsquery(${language}::text::regconfig, said) as phrase
      from unnest(${sql.val([...phrases])}::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery)`
}

/** π²/6, the limit of the sum of 1/i². */
const limitOfRank = Math.PI ** 2 / 6

/**
 * An expression over the number of occurrences of a word; null where it is absent, which costs a third of counting it.
 * The number is derived from `ts_rank`, which for a single word is the sum of 1/i² up to that number, divided by its
 * limit. The alternative is to unnest the whole text.
 */
export function selectOccurrences(
  word: string | undefined,
  expression: (count: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const query = sql`${word === undefined ? null : quoteWord(word)}::tsquery`
  const rank = sql`ts_rank('{1,1,1,1}', c.search, ${query})`
  const count = sql`round(1 / (${sql.lit(limitOfRank)}::float8 * (1 - ${rank})) - 0.5)`
  return sql`case when c.search @@ ${query} then ${expression(count)} end`
}
