import type { Config } from '../config/config.ts'
import type { TenantConnection } from '../db/connection.ts'
import { systemClock } from '../kernel/clock.ts'
import { createIds } from '../kernel/ids.ts'

/** Checks the laws of the store, and with tenants those of each. Only the role `check` loads the modules that do it. */
export async function* checkLaws(connection: TenantConnection, config: Config) {
  const { createChecking, describeVerdict, isSatisfied } = await import('../checking/index.ts')
  for await (const { id, db } of listStores(connection, config)) {
    if (!db) {
      yield { line: `${id}: could not be checked: its server cannot be used`, isSatisfied: false }
      continue
    }
    for await (const verdict of createChecking({ db, clock: systemClock }).check()) {
      const line = `${id === undefined ? '' : `${id}: `}${describeVerdict(verdict)}`
      yield { line, isSatisfied: isSatisfied(verdict) }
    }
  }
}

/** The data that belongs to no tenant, and then the data of each tenant. */
async function* listStores(connection: TenantConnection, { tenants, tenantKey: key, records }: Config) {
  const { db } = connection
  yield { id: undefined, db }
  if (!tenants) return
  const { createTenantDatabases, listStoresOfTenants } = await import('../tenants/index.ts')
  const ids = createIds(systemClock)
  yield* listStoresOfTenants({ db, databases: createTenantDatabases({ connection, ids, key, ...records }) })
}
