import { populateFacts } from '../../../bench/consolidation/population.ts'
import { openTestDatabase } from '../servers/database.ts'

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
