import type { Config } from './config/config.ts'
import type { Connection } from './db/connection.ts'
import { systemClock } from './kernel/clock.ts'

/** Checks the laws of the store, and with tenants those of each. Only the role `check` loads the modules that do it. */
export async function* checkLaws(connection: Pick<Connection, 'db' | 'databaseOf'>, { tenants }: Config) {
  const { createChecking, describeVerdict, isSatisfied } = await import('./checking/index.ts')
  for await (const { id, db } of listStores(connection, tenants)) {
    for await (const verdict of createChecking({ db, clock: systemClock }).check()) {
      const line = `${id === undefined ? '' : `${id}: `}${describeVerdict(verdict)}`
      yield { line, isSatisfied: isSatisfied(verdict) }
    }
  }
}

/** What belongs to no tenant, and then the data of each tenant. */
async function* listStores({ db, databaseOf }: Pick<Connection, 'db' | 'databaseOf'>, hasTenants: boolean) {
  yield { id: undefined, db }
  if (!hasTenants) return
  const { listStoresOfTenants } = await import('./tenants/index.ts')
  yield* listStoresOfTenants({ db, databaseOf })
}
