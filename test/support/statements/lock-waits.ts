import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'

/** How many statements of this database wait for a lock. Not for a transaction, in which the first answer would stay the same. */
export async function countLockWaits(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db)
  return rows[0]?.count ?? 0
}
