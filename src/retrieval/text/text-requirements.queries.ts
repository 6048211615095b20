import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import type { TextQuery } from '../../domain/words/query-words.ts'

/**
 * Conditions for every answer: phrases in quotes that it must contain, and words after a minus that it must not.
 * Several statements use these fragments.
 */

type Sentence = { query: Pick<TextQuery, 'phrases' | 'excluded'>; textLanguage: string }

/** As conditions on `contents as c`. */
export function listTextRequirements(sentence: Sentence): RawBuilder<unknown>[] {
  const { required, excluded } = selectRequirements(sentence)
  return [...required, ...excluded.map((isIn) => sql`not (${isIn})`)]
}

/** As conditions on `records as r`. Both can be answered by PostgreSQL from the index of words or by the id. */
export function listRecordRequirements(sentence: Sentence): Conditions {
  const { required, excluded } = selectRequirements(sentence)
  const among = (isIn: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select from contents as c where c.record_id = r.id and ${isIn})`
  return [...required.map(among), ...excluded.map((isIn) => sql<SqlBool>`not ${among(isIn)}`)]
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

/** How many records with the phrases of a sentence are counted. */
const mostQuoting = 200

/**
 * Counts the records with all phrases of a sentence that meet conditions on `records as r`; undefined if very many have the phrases.
 * `offset 0` makes PostgreSQL look up each record by its id.
 */
export async function countQuoting(
  db: Database,
  sentence: Sentence,
  conditions: Conditions,
): Promise<number | undefined> {
  const { required } = selectRequirements(sentence)
  const { rows } = await sql<{ quoting: number; met: number }>`
    with quoting as materialized (
      select c.record_id as id from contents as c where ${sql.join(required, sql` and `)} limit ${sql.lit(mostQuoting + 1)}
    ), met as (
      select quoting.id from quoting cross join lateral (
        select from records as r where r.id = quoting.id and ${joinConditions(conditions)} offset 0
      ) as r
    )
    select (select count(*) from quoting) as quoting, (select count(*) from met) as met
  `.execute(db)
  const { quoting = 0, met = 0 } = rows[0] ?? {}
  return quoting > mostQuoting ? undefined : met
}

/** A phrase of stop words requires nothing, but an empty query matches no text. */
const anyText = sql`'!''-'''::tsquery`

function selectRequirements({ query, textLanguage }: Sentence) {
  const isIn = (words: RawBuilder<unknown>) => sql`c.search @@ (select ${words})`
  const all = sql`coalesce(nullif(${requireAll(query.phrases, textLanguage)}, ''::tsquery), ${anyText})`
  return {
    required: query.phrases.length > 0 ? [isIn(all)] : [],
    excluded: query.excluded.length > 0 ? [isIn(requireAny(query.excluded, textLanguage))] : [],
  }
}

const requireAll = (phrases: readonly string[], language: string) => joinPhrases(phrases, ' & ', language)
const requireAny = (phrases: readonly string[], language: string) => joinPhrases(phrases, ' | ', language)

/** One statement for any number of phrases: a sentence can have thousands, and each part of a statement is planned. */
function joinPhrases(phrases: readonly string[], separator: string, language: string) {
  return sql`coalesce((
    select string_agg(concat('(', phrase, ')'), ${sql.lit(separator)})::tsquery
    from (
      select phraseto_tsquery(${language}::text::regconfig, said) as phrase
      from unnest(${sql.val([...phrases])}::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery)`
}
