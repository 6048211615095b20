import type { Pool } from 'pg'
import { afterAll } from 'vitest'
import { openTestDatabase } from '../servers/database.ts'
import { startTestApp, type TestApp } from '../test-app.ts'
import { openWorkerSetup, type WorkerSetup } from '../workers/worker-setup.ts'

/*
 * One database, or one app, for the tests of a file that each need an empty store: creating it and planning its first
 * statements anew takes longer than most tests.
 */

/** What the migrations insert. A test that changes it needs a database of its own. */
const keptTables = ['kysely_migration', 'kysely_migration_lock', 'import_secret', 'lifecycle_policies']

/** Deletes every row that a test can have written. Only a role without triggers may delete from the audit log. */
async function emptyStore(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname <> all ($1)`,
    [keptTables],
  )
  const deletions = rows.map(({ name }) => `delete from ${name}`)
  await pool.query(
    ['begin', 'set local session_replication_role = replica', ...deletions, 'commit'].join(';'),
  )
  // Jobs walk over its pages, of which an empty store has none.
  await pool.query('vacuum records')
}

/** Empties the store of an app. The clock goes on to where the app has forgotten what it knew of the store. */
export async function emptyApp({ database, clock }: Pick<TestApp, 'database' | 'clock'>): Promise<void> {
  await emptyStore(database.pool)
  clock.advance(10 * 60_000)
}

/** Returns a function that starts something once for all tests of a file, and then empties its store for each. */
export function shareStore<Shared extends { close: () => Promise<void> }>(
  start: () => Promise<Shared>,
  poolOf: (shared: Shared) => Pool,
): () => Promise<Shared> {
  let shared: Shared | undefined
  afterAll(() => shared?.close())
  return async () => {
    if (shared) await emptyStore(poolOf(shared))
    shared ??= await start()
    return shared
  }
}

/** Returns a function that opens the one app of a file with an empty store. Its clock is never set back. */
export const shareTestApp = (options: Parameters<typeof startTestApp>[0] = {}): (() => Promise<TestApp>) =>
  shareStore(
    () => startTestApp(options),
    ({ database }) => database.pool,
  )

/** Returns a function that opens workers with a clock of their own in the one database of a file, which it empties. */
export function shareWorkerSetup(): (sizes?: Parameters<typeof openWorkerSetup>[0]) => Promise<WorkerSetup> {
  const open = shareStore(openTestDatabase, ({ pool }) => pool)
  return async (sizes) => openWorkerSetup(sizes, await open())
}
