import { connect } from '../../../src/db/connection.ts'
import { migrateUp } from '../../../src/db/migrator.ts'

/** Creates the tables in an empty database. */
export async function migrate(url: string): Promise<void> {
  const { db, close } = connect({
    url,
    poolSize: 1,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    applicationName: 'membrane test setup',
  })
  await migrateUp(db)
  await close()
}
