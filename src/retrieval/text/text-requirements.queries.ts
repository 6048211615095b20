import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import type { TextQuery } from '../../domain/words/query-words.ts'
import { joinWords } from './tsquery.ts'

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

/** What few records may have: the phrases of a sentence, all of some tags, one of some words. */
export type RareRequirements = Sentence & {
  tags?: readonly string[] | undefined
  words?: readonly string[] | undefined
}

/** Of more records than this, not all are compared. */
const mostFew = 200

/**
 * Lists the records that have everything that is required and meet conditions on `records as r`; undefined if very many have it.
 * Both the words and the tags have an index. `offset 0` makes PostgreSQL look up each record by its id.
 */
export async function listFew(
  db: Database,
  { tags, words, ...sentence }: RareRequirements,
  conditions: Conditions,
): Promise<string[] | undefined> {
  const required = [
    ...selectRequirements(sentence).required,
    ...(tags ? [sql`c.tags @> ${sql.val([...tags])}::text[]`] : []),
    ...(words ? [sql`c.search @@ (select ${joinWords(words)}::tsquery)`] : []),
  ]
  const { rows } = await sql<{ chosen: number; met: string[] }>`
    with chosen as materialized (
      select c.record_id as id from contents as c where ${sql.join(required, sql` and `)} limit ${sql.lit(mostFew + 1)}
    )
    select (select count(*) from chosen) as chosen, array(
      select chosen.id from chosen cross join lateral (
        select from records as r where r.id = chosen.id and ${joinConditions(conditions)} offset 0
      ) as r
      where (select count(*) from chosen) <= ${sql.lit(mostFew)}
    ) as met
  `.execute(db)
  const { chosen = 0, met = [] } = rows[0] ?? {}
  return chosen > mostFew ? undefined : met
}

/** Lists the records that meet conditions on `records as r`; undefined if very many do. Reads all records if few do. */
export async function listFewOfAll(db: Database, conditions: Conditions): Promise<string[] | undefined> {
  const { rows } = await sql<{ met: string[] }>`
    select array(
      select r.id from records as r where ${joinConditions(conditions)} limit ${sql.lit(mostFew + 1)}
    ) as met
  `.execute(db)
  const { met = [] } = rows[0] ?? {}
  return met.length > mostFew ? undefined : met
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
