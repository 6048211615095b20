import { Migrator, NO_MIGRATIONS } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import type { Database } from '../../src/db/connection.ts'

/** Reverts all migrations, or those after `target`, and returns their names. No release of the product does this. */
export async function migrateDown(db: Database, target?: string): Promise<string[]> {
  return migrateTo(db, target ?? NO_MIGRATIONS)
}

/** Applies or reverts migrations until `target` is the last one, and returns their names. */
export async function migrateTo(
  db: Database,
  target: Parameters<Migrator['migrateTo']>[0],
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results = [] } = await migrator.migrateTo(target)
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}
