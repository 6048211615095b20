import { Migrator, NO_MIGRATIONS, sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import type { Database } from './connection.ts'

/** Any constant that no other advisory lock of the product uses. */
const migrationLock = 7_350_001

/** Applies what is missing and answers the names applied; of many callers at once, one does the work. */
export async function migrateUp(db: Database): Promise<string[]> {
  return withMigrator(db, async (migrator) => {
    const known = await migrator.getMigrations()
    // Kysely refuses a database that has more than it knows, which is what a version that is rolled back to meets.
    return known.every(({ executedAt }) => executedAt) ? {} : migrator.migrateToLatest()
  })
}

/** Takes every migration back; `target` stops after undoing down to, not including, that one. */
export async function migrateDown(db: Database, target?: string): Promise<string[]> {
  return withMigrator(db, (migrator) => migrator.migrateTo(target ?? NO_MIGRATIONS))
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
 * One session lock around everything, Kysely's own bookkeeping tables included: `create table if not exists`
 * raced by twenty processes fails in PostgreSQL's catalogue. Timeouts meant for requests do not apply here.
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
