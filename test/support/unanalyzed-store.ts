import { populateFacts } from '../../bench/consolidation/population.ts'
import { openTestDatabase } from './database.ts'

/** The id of the nth fact of the store. */
export const idOfFact = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/**
 * Opens a store of facts as after an import: autovacuum has not read these tables yet. A table of some thirty pages is read whole by
 * PostgreSQL 15, because that costs less than looking up ten rows.
 */
export async function openUnanalyzedStore(tables: readonly string[], facts: number) {
  const database = await openTestDatabase()
  for (const table of tables)
    await database.pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  await populateFacts(database.pool, 0, facts)
  return database
}
