import { sql } from 'kysely'
import type { Database } from '../../../db/connection.ts'
import { openTo } from '../../../db/fragments/visibility.ts'
import type { Trust } from '../../../domain/trust/caller.ts'
import { quoteWord } from '../tsquery.ts'
import { beginningLength, maxWordsOfBeginning } from './word-forms.ts'

/** How many texts are read. In a large store there are more with a common beginning, and they repeat the same words. */
const maxTexts = 500
/** In words. Reading hundreds of texts of a megabyte would take seconds. */
const longestText = 2_000

type Searched = { trust: Trust; includesForgotten?: boolean | undefined }

/** Returns the words with one of the beginnings, in texts of records that the caller sees. */
export async function findWordsWithBeginnings(
  db: Database,
  { trust, includesForgotten }: Searched,
  beginnings: readonly string[],
): Promise<string[]> {
  const andUnforgotten = includesForgotten ? sql`` : sql`and r.forgotten_at is null`
  const anyBeginning = beginnings.map((beginning) => `${quoteWord(beginning)}:*`).join(' | ')
  const { rows } = await sql<{ word: string }>`
    with found as materialized (
      select c.search from contents as c join records as r on r.id = c.record_id
      where c.search @@ (select ${anyBeginning}::tsquery) and c.words <= ${sql.lit(longestText)}
        ${andUnforgotten} and ${openTo(trust)}
      limit ${sql.lit(maxTexts)}
    )
    select distinct word from found cross join unnest(tsvector_to_array(found.search)) as word
    where left(word, ${sql.lit(beginningLength)}) = any(${beginnings}::text[])
    limit ${sql.lit(maxWordsOfBeginning)}
  `.execute(db)
  return rows.map(({ word }) => word)
}
