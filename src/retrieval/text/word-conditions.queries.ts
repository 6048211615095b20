import { type RawBuilder, sql } from 'kysely'
import type { TextQuery } from '../../domain/query-words.ts'
import { quoteWord } from './search-plan.ts'

type Demands = { query: Pick<TextQuery, 'phrases' | 'excluded'>; textLanguage: string }

/** Parts of statements over `contents as c`, which more than one of them needs. */

/** What every answer must contain or lack: the phrases in quotes, and the words behind a minus. */
export function listDemands(search: Demands): RawBuilder<unknown>[] {
  const { phrases, excluded } = search.query
  if (phrases.length + excluded.length === 0) return []
  return [sql`c.search @@ (${sql.join(listPhrases(search), sql` && `)})`]
}

export function listPhrases({ query, textLanguage }: Demands): RawBuilder<unknown>[] {
  const phraseOf = (phrase: string) => sql`phraseto_tsquery(${textLanguage}::text::regconfig, ${phrase})`
  return [...query.phrases.map(phraseOf), ...query.excluded.map((phrase) => sql`!!${phraseOf(phrase)}`)]
}

/** π²/6, the limit of the sum of 1/i². */
const limitOfRank = Math.PI ** 2 / 6

/**
 * An expression over the number of occurrences of a word; null where it is absent, which costs a third of counting it.
 * The number is derived from `ts_rank`, which for a single word is the sum of 1/i² up to that number, divided by its
 * limit. The alternative is to unnest the whole text.
 */
export function withOccurrences(
  word: string | undefined,
  expression: (count: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const query = sql`${word === undefined ? null : quoteWord(word)}::tsquery`
  const rank = sql`ts_rank('{1,1,1,1}', c.search, ${query})`
  const count = sql`round(1 / (${sql.lit(limitOfRank)}::float8 * (1 - ${rank})) - 0.5)`
  return sql`case when c.search @@ ${query} then ${expression(count)} end`
}
