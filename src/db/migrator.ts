import { Migrator, sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import type { Database } from './connection.ts'

/** A constant that no other advisory lock of the product uses. */
const migrationLock = 7_350_001

/** Applies missing migrations and returns their names. Of several callers at once, one does the work. */
export async function migrateUp(db: Database): Promise<string[]> {
  return withMigrator(db, async (migrator) => {
    const known = await migrator.getMigrations()
    // Kysely refuses a database with migrations that it does not know, which a version meets after a rollback to it.
    return known.every(({ executedAt }) => executedAt) ? {} : migrator.migrateToLatest()
  })
}

export async function pendingMigrations(db: Database): Promise<string[]> {
  const applied = new Set(
    (await createMigrator(db).getMigrations()).filter((each) => each.executedAt).map((each) => each.name),
  )
  return Object.keys(migrations).filter((name) => !applied.has(name))
}

function createMigrator(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

type Outcome = Awaited<ReturnType<Migrator['migrateToLatest']>>

/**
 * One session lock around everything, also the tables of Kysely: `create table if not exists` from twenty processes
 * at once fails in the catalogue of PostgreSQL. Timeouts for requests do not apply here.
 */
async function withMigrator(db: Database, run: (migrator: Migrator) => Promise<Outcome>): Promise<string[]> {
  return db.connection().execute(async (session) => {
    await sql`select set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`.execute(
      session,
    )
    await sql`select pg_advisory_lock(${migrationLock})`.execute(session)
    try {
      const { error, results } = await run(createMigrator(session))
      if (error) throw error
      return (results ?? []).map((result) => result.migrationName)
    } finally {
      await sql`select pg_advisory_unlock(${migrationLock})`.execute(session)
      await sql`reset statement_timeout`.execute(session)
      await sql`reset lock_timeout`.execute(session)
    }
  })
}
