import { sql } from 'kysely'
import type { Database } from './connection.ts'

/** The secret of this store, which never changes. Ids of imported records and cursors of row numbers are made with it. */
export async function readStoreSecret(db: Database): Promise<string> {
  const { rows } = await sql<{ secret: string }>`
    select secret::text || more_secret::text as secret from import_secret
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('the table import_secret is empty')
  return row.secret
}
