import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { namesNoHidden } from '../db/fragments/concealment.ts'
import type { Trust } from '../domain/trust/caller.ts'

/** Leaves out the names that are ids of records which the caller must not know of. */
export async function listSelectable(
  db: Database,
  names: readonly string[],
  trust: Trust,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name where ${namesNoHidden(trust, sql.ref('name'))}
  `.execute(db)
  return rows.map(({ name }) => name)
}
