import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'

/**
 * Deletes lines of imports that never ended, or waiting edges of imports that ended early. The edges are kept for a day, because an
 * import that is sent again finds them. Returns how many, at most `limit`.
 */
export function createAbandonedRemoval(table: 'import_lines' | 'awaiting_edges') {
  return async (db: Database, now: Date, limit: number): Promise<number> => {
    const { rows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where received_at <= ${now}::timestamptz - interval '1 day' limit ${limit}
        for update skip locked
      ))
      returning true
    `.execute(db)
    return rows.length
  }
}
