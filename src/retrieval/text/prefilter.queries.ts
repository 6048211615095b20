import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { listRequiredPhrases, type Sentence } from './text-requirements.queries.ts'
import { joinWords } from './tsquery.ts'

/** What an index finds: the phrases of a sentence, all of some tags, one of some words. */
export type IndexedFilters = Sentence & {
  tags?: readonly string[] | undefined
  words?: readonly string[] | undefined
}

/** If the filters leave more records than this, a search looks among all. */
const maxPrefiltered = 200

/**
 * Lists the records that have everything that is required and meet conditions on `records as r`; undefined if more than the maximum have it.
 * Both the words and the tags have an index. `offset 0` makes PostgreSQL look up each record by its id.
 */
export async function prefilterByIndex(
  db: Database,
  { tags, words, ...sentence }: IndexedFilters,
  conditions: Conditions,
): Promise<string[] | undefined> {
  const required = [
    ...listRequiredPhrases(sentence),
    ...(tags ? [sql`c.tags @> ${tags}::text[]`] : []),
    ...(words ? [sql`c.search @@ (select ${joinWords(words)}::tsquery)`] : []),
  ]
  const { rows } = await sql<{ chosen: number; met: string[] }>`
    with chosen as materialized (
      select c.record_id as id from contents as c where ${sql.join(required, sql` and `)} limit ${sql.lit(maxPrefiltered + 1)}
    )
    select (select count(*) from chosen) as chosen, array(
      select chosen.id from chosen cross join lateral (
        select from records as r where r.id = chosen.id and ${joinConditions(conditions)} offset 0
      ) as r
      where (select count(*) from chosen) <= ${sql.lit(maxPrefiltered)}
    ) as met
  `.execute(db)
  const { chosen = 0, met = [] } = rows[0] ?? {}
  return chosen > maxPrefiltered ? undefined : met
}

/** Lists the records that meet conditions on `records as r`; undefined if more than the maximum do. Where few do, it reads all records. */
export async function prefilterAll(db: Database, conditions: Conditions): Promise<string[] | undefined> {
  const { rows } = await sql<{ met: string[] }>`
    select array(
      select r.id from records as r where ${joinConditions(conditions)} limit ${sql.lit(maxPrefiltered + 1)}
    ) as met
  `.execute(db)
  const { met = [] } = rows[0] ?? {}
  return met.length > maxPrefiltered ? undefined : met
}
