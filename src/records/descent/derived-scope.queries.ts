import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** The records among `ids` that are in a scope. */
export async function findInScope(tx: Transaction, ids: readonly string[], scope: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from records as r where r.id = any(${ids}::uuid[]) and r.scope = ${scope}
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Makes the records independent of the sources. */
export async function deleteDescentsBetween(
  tx: Transaction,
  sourceIds: readonly string[],
  derivedIds: readonly string[],
): Promise<void> {
  await sql`
    delete from descents as d
    where d.source_id = any(${sourceIds}::uuid[]) and d.derived_id = any(${derivedIds}::uuid[])
      and d.kind <> 'contest'
  `.execute(tx)
}
