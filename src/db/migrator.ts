import { sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Database } from './connection.ts'
import { migrationsKey } from './fragments/lock-keys.ts'
import { liftStatementTimeout } from './tenant-schemas.ts'
import { visitStatement } from './tenant-sessions.ts'
import { type Transaction, transact } from './transaction.ts'

const names = Object.keys(migrations)

/** The state of a schema with every migration of this version: how many, so that later states compare as greater. */
export const newestMigration = `${String(names.length).padStart(4, '0')} ${names.at(-1)}`

/** Applies missing migrations and returns their names. Of several callers at once, one does the work. */
export async function migrateUp(db: Database): Promise<string[]> {
  return withMigrationLock(db, async (session) => {
    if ((await listPendingMigrations(session)).length === 0) return []
    return transact(session, {}, (tx) => applyPending(tx, systemClock.now()))
  })
}

/** The migrations of this version that the schema lacks. Those of a later version do no harm after a rollback. */
export async function listPendingMigrations(db: Database): Promise<string[]> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists
  `.execute(db)
  const applied = rows[0]?.exists ? await listApplied(db) : []
  return names.filter((name) => !applied.includes(name))
}

async function listApplied(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Creates the tables of a schema, or applies the migrations that it lacks, within the transaction, which continues in
 * this schema.
 */
export async function migrateSchema(tx: Transaction, schema: string, now: Date): Promise<string[]> {
  await liftStatementTimeout(tx)
  await sql.raw(visitStatement(schema)).execute(tx)
  return applyPending(tx, now)
}

/**
 * Not by the migrator of Kysely: it looks for its tables in every schema, and takes those of a tenant or of another
 * application for its own. The tables are those that it makes, which older versions of the product use.
 */
async function applyPending(tx: Transaction, now: Date): Promise<string[]> {
  for (const statement of historyTables) await sql.raw(statement).execute(tx)
  const pending = await listPendingMigrations(tx)
  for (const name of pending) {
    await migrations[name]?.up(tx)
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${now.toISOString()})`.execute(
      tx,
    )
  }
  return pending
}

const historyTables = [
  'create table if not exists kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
  `create table if not exists kysely_migration_lock (
    id varchar(255) primary key, is_locked integer default 0 not null
  )`,
  `insert into kysely_migration_lock (id) values ('migration_lock') on conflict do nothing`,
]

/**
 * One session lock around everything, also the tables of the history: `create table if not exists` from twenty processes
 * at once fails in the catalogue of PostgreSQL. Timeouts for requests do not apply here.
 */
async function withMigrationLock<T>(db: Database, run: (session: Database) => Promise<T>): Promise<T> {
  return db.connection().execute(async (session) => {
    await sql`select set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`.execute(
      session,
    )
    await sql`select pg_advisory_lock(${migrationsKey})`.execute(session)
    try {
      return await run(session)
    } finally {
      await sql`select pg_advisory_unlock(${migrationsKey})`.execute(session)
      await sql`reset statement_timeout`.execute(session)
      await sql`reset lock_timeout`.execute(session)
    }
  })
}
