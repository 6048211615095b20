import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { TextQuery } from '../../domain/words/text-query.ts'

/**
 * Conditions for every answer: phrases in quotes that it must contain, and words after a minus that it must not.
 * Several statements use these fragments.
 */

export type Sentence = { query: Pick<TextQuery, 'phrases' | 'excluded'>; textLanguage: string }

/** As conditions on `contents as c`. */
export function listTextRequirements(sentence: Sentence): RawBuilder<unknown>[] {
  const excluded = listExclusions(sentence).map((isIn) => sql`not (${isIn})`)
  return [...listRequiredPhrases(sentence), ...excluded]
}

/** As conditions on `records as r`. Both can be answered by PostgreSQL from the index of words or by the id. */
export function listRecordRequirements(sentence: Sentence): Conditions {
  const hasText = (isIn: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select from contents as c where c.record_id = r.id and ${isIn})`
  const excluded = listExclusions(sentence).map((isIn) => sql<SqlBool>`not ${hasText(isIn)}`)
  return [...listRequiredPhrases(sentence).map(hasText), ...excluded]
}

/** As queries of words (tsquery), to be joined by `&&`. */
export function listRequiredQueries({
  query: { phrases, excluded },
  textLanguage,
}: Sentence): RawBuilder<unknown>[] {
  return [
    ...(phrases.length > 0 ? [requireAll(phrases, textLanguage)] : []),
    ...(excluded.length > 0 ? [sql`!!${requireAny(excluded, textLanguage)}`] : []),
  ]
}

/** A phrase of stop words requires nothing, but an empty query matches no text. */
const anyText = sql`'!''-'''::tsquery`

/** As conditions on `contents as c`: the phrases alone. PostgreSQL answers them from the index of words. */
export function listRequiredPhrases({ query: { phrases }, textLanguage }: Sentence): RawBuilder<unknown>[] {
  const all = sql`coalesce(nullif(${requireAll(phrases, textLanguage)}, ''::tsquery), ${anyText})`
  return phrases.length > 0 ? [hasWords(all)] : []
}

function listExclusions({ query: { excluded }, textLanguage }: Sentence): RawBuilder<unknown>[] {
  return excluded.length > 0 ? [hasWords(requireAny(excluded, textLanguage))] : []
}

const hasWords = (query: RawBuilder<unknown>) => sql`c.search @@ (select ${query})`

const requireAll = (phrases: readonly string[], language: string) => joinPhrases(phrases, ' & ', language)
const requireAny = (phrases: readonly string[], language: string) => joinPhrases(phrases, ' | ', language)

/** One statement for any number of phrases: a sentence can have thousands, and each part of a statement is planned. */
function joinPhrases(phrases: readonly string[], separator: string, language: string) {
  return sql`coalesce((
    select string_agg(concat('(', phrase, ')'), ${sql.lit(separator)})::tsquery
    from (
      select phraseto_tsquery(${language}::text::regconfig, said) as phrase
      from unnest(${phrases}::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery)`
}
