import { sql } from 'kysely'
import type { Database } from '../../../db/connection.ts'

/** Returns the stems under which words are indexed. Stop words have none. */
export async function findStems(
  db: Database,
  words: readonly string[],
  language: string,
): Promise<{ word: string; stems: string[] }[]> {
  const { rows } = await sql<{ word: string; stems: string[] }>`
    select word, tsvector_to_array(to_tsvector(${language}::text::regconfig, word)) as stems
    from unnest(${words}::text[]) as word
  `.execute(db)
  return rows
}
