import type { Config } from '../config/config.ts'
import type { Connection } from '../db/connection.ts'
import { ensureNearestIndex } from '../embeddings/index.ts'
import { systemClock } from '../kernel/clock.ts'
import { createIds } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'

/** Creates what a database needs besides its tables. Only the roles that prepare one load the modules that do it. */
export async function prepareDatabase(connection: Connection, log: Logger, config: Config): Promise<void> {
  const { db } = connection
  await ensureNearestIndex(db, log)
  if (!config.tenants) return
  const { createTenantDatabases, migrateTenants } = await import('../tenants/index.ts')
  const clock = systemClock
  const ids = createIds(clock)
  const databases = createTenantDatabases({ connection, ids, key: config.tenantKey, ...config.records })
  const { migrated, failed } = await migrateTenants({ db, clock, databases, log })
  if (failed === 0) log.info('the schemas of tenants are up to date', { migrated })
  else log.error('some tenants get 503 until a worker has migrated them', { migrated, failed })
}
