import { sql } from 'kysely'
import type { Database } from './connection.ts'

/** Whether the locale of the database knows the capitals of letters beyond ASCII. Otherwise words with them are not found in small letters. */
export async function knowsCapitals(db: Database): Promise<boolean> {
  const { rows } = await sql<{ knows: boolean }>`select lower('Ä') = 'ä' as knows`.execute(db)
  return rows[0]?.knows === true
}

/** Whether PostgreSQL has a text search configuration of this name. Every write and every text search needs it. */
export async function isTextLanguage(db: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (
      select from pg_ts_config where cfgname = ${name} and pg_ts_config_is_visible(oid)
    ) as known
  `.execute(db)
  return rows[0]?.known ?? false
}

/** By how many milliseconds a time is ahead of the clock of the database. */
export async function computeLead(db: Database, time: Date): Promise<number> {
  const { rows } = await sql<{ database_time: Date }>`select clock_timestamp() as database_time`.execute(db)
  const databaseTime = rows[0]?.database_time ?? time
  return time.getTime() - databaseTime.getTime()
}

/**
 * Whether a tombstone was made with another key than this one, or with any key if this is null. No content can be stored
 * then. Two index probes for any number of tombstones.
 */
export async function hasForeignTombstones(db: Database, keyId: Buffer | null): Promise<boolean> {
  // The empty id is less than that of every key.
  const own = keyId ?? Buffer.alloc(0)
  const { rows } = await sql<{ foreign: boolean }>`
    select exists (select from tombstones where key_id < ${own}::bytea)
      or exists (select from tombstones where key_id > ${own}::bytea) as "foreign"
  `.execute(db)
  return rows[0]?.foreign ?? false
}
