import { sql } from 'kysely'
import type { Database } from './connection.ts'

/** Whether PostgreSQL has a text search configuration of this name. Every write and every text search needs it. */
export async function isTextLanguage(db: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (
      select from pg_ts_config where cfgname = ${name} and pg_ts_config_is_visible(oid)
    ) as known
  `.execute(db)
  return rows[0]?.known ?? false
}
