import { type Migration, Migrator, NO_MIGRATIONS } from 'kysely'
import { migrations } from '../../../migrations/index.ts'
import type { Database } from '../../../src/db/connection.ts'
import { openEmptyTestDatabase } from './database.ts'

/** Reverts all migrations, or those after `target`, and returns their names. No release of the product does this. */
export async function migrateDown(db: Database, target?: string): Promise<string[]> {
  return migrateTo(db, target ?? NO_MIGRATIONS)
}

/**
 * Applies or reverts migrations until `target` is the last one, and returns their names. With `steps` they do more than
 * migrate: a call for each step reads the whole catalogue several times.
 */
export async function migrateTo(
  db: Database,
  target: Parameters<Migrator['migrateTo']>[0],
  steps: Record<string, Migration> = migrations,
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => steps } })
  const { error, results = [] } = await migrator.migrateTo(target)
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}

/** A database as it was after `migration`, to which rows of that time can be added. */
export async function openDatabaseAt(migration: string) {
  const database = await openEmptyTestDatabase(2)
  await migrateTo(database.db, migration)
  return database
}
