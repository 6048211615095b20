import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'

/** Returns the tables of which a row has the word in any column: in a text, in JSON, in a list or in bytes. */
export async function listTablesWith(db: Database, word: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname
  `.execute(db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql`
      select from ${sql.table(name)} as t cross join lateral (select to_jsonb(t)::text as row) as read
      where position(${word.toLowerCase()} in lower(row)) > 0
        or position(encode(convert_to(${word}, 'UTF8'), 'hex') in row) > 0
      limit 1
    `.execute(db)
    if (rows.length > 0) found.push(name)
  }
  return found
}
