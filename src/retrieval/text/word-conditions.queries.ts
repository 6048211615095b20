import { type RawBuilder, sql } from 'kysely'
import type { TextQuery } from '../../domain/words/text-query.ts'
import type { CountedWord } from './statistics/word-statistics.ts'
import { listRequiredQueries } from './text-requirements.queries.ts'
import { joinWords, toAlternatives } from './tsquery.ts'

/** Conditions on the words of `contents as c`, as the statements of the text search use them. */

export type Word = Pick<CountedWord, 'word'>

/** Conditions of every match, besides words of the question. */
export type RequiredWords = {
  query: TextQuery
  textLanguage: string
  /** Scopes and types as words: a match contains at least one of each list. */
  filterWords: readonly (readonly string[])[]
}

/** A text that contains one of the words, and everything that the sentence requires. */
export function containsAny(required: RequiredWords, words: readonly Word[]): RawBuilder<unknown> {
  return matches(addRequired(required, queryAny(words)))
}

/** A text that contains all words of one of the sets, and everything that the sentence requires. */
export function containsSet(
  required: RequiredWords,
  sets: readonly (readonly string[])[],
): RawBuilder<unknown> {
  return matches(addRequired(required, sql`${toAlternatives(sets)}::tsquery`))
}

/** Continues a condition: and none of the words. */
export function andNone(words: readonly Word[]): RawBuilder<unknown> {
  return words.length > 0 ? sql`and not (c.search @@ (${queryAny(words)}))` : sql``
}

/** The query is read once, as a value: PostgreSQL then keeps one plan, and does not plan the statement again for each question. */
const matches = (query: RawBuilder<unknown>) => sql`c.search @@ (select ${query})`

const queryAny = (words: readonly Word[]) => sql`${joinWords(words.map(({ word }) => word))}::tsquery`

function addRequired(required: RequiredWords, query: RawBuilder<unknown>): RawBuilder<unknown> {
  const filters = required.filterWords.map((words) => queryAny(words.map((word) => ({ word }))))
  return sql.join([query, ...filters, ...listRequiredQueries(required)], sql` && `)
}
