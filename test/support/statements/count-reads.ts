import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'

/** Returns how many rows of the tables the session has read and not reported yet. */
async function countUnreported(tx: Database, tables: readonly string[]): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as reads
    from pg_stat_xact_user_tables where relname = any(${tables}::text[])
  `.execute(tx)
  return rows[0]?.reads ?? 0
}

/** Returns how many rows of the tables the work reads. */
export function countReads(
  db: Database,
  tables: readonly string[],
  work: (tx: Database) => Promise<unknown>,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const before = await countUnreported(tx, tables)
    await work(tx)
    return (await countUnreported(tx, tables)) - before
  })
}
