import type { Config } from '../../config/config.ts'
import { knowsCapitals } from '../../db/configuration-checks.ts'
import { type Connection, connect } from '../../db/connection.ts'
import { listPendingMigrations, migrateUp } from '../../db/migrator.ts'
import { prepareQueue } from '../../jobs/queue/queue.ts'
import type { Logger } from '../../kernel/log.ts'
import { OperatorError } from '../operator-error.ts'
import { requireConfiguration } from './check-configuration.ts'

/** Further preparation of a database after its tables were created. */
export type Prepare = (connection: Connection, log: Logger, config: Config) => Promise<void>

/** Creates everything that other processes need in the database: our tables and those of the queue. */
export async function migrateDatabase(
  url: string,
  config: Config,
  log: Logger,
  prepare: Prepare,
): Promise<void> {
  const { database, redisUrl } = config
  const connection = connect({
    ...database,
    url,
    poolSize: 1,
    applicationName: 'membrane migrate',
    tenants: config.tenants,
    log,
  })
  try {
    await requireConfiguration(connection.db, config)
    const applied = await migrateUp(connection.db)
    await prepare(connection, log, config)
    await prepareQueue({ redisUrl, databaseUrl: url })
    log.info('the database is up to date', { applied })
    if (!(await knowsCapitals(connection.db))) log.warn(unsuitableLocale)
  } finally {
    await connection.close()
  }
}

const unsuitableLocale =
  'the locale of the database knows no capital letters beyond ASCII, so words with them are not found in small letters; create the database with a locale such as C.UTF-8'

export async function requireMigrated(db: Parameters<typeof listPendingMigrations>[0]): Promise<void> {
  const pending = await listPendingMigrations(db)
  if (pending.length === 0) return
  throw new OperatorError(`The database lacks ${pending.join(', ')}; run the role migrate first.`)
}
