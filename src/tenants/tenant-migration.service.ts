import type { Database } from '../db/connection.ts'
import { migrateSchema, newestMigration } from '../db/migrator.ts'
import { nameSchema } from '../db/schema-names.ts'
import { runInSchema } from '../db/tenant-schemas.ts'
import { transact } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { describeServer, type TenantDatabases } from './tenant-databases.service.ts'
import { lockMigrations } from './tenant-servers.queries.ts'
import { listOutdatedTenants, lockTenant, setMigration, type TenantRow } from './tenants.queries.ts'

type Resources = { db: Database; clock: Clock; databases: TenantDatabases }

/** How many servers are worked on at once: one that is away delays the start by its timeout. */
const serversAtOnce = 8

/**
 * Applies missing migrations to the schema of every tenant, each in a transaction of its own, and returns how many were
 * changed. One statement finds them. A tenant whose server is away stays as it is, and workers try it again.
 */
export async function migrateTenants({ log, ...resources }: Resources & { log: Logger }): Promise<number> {
  const outdated = await listOutdatedTenants(resources.db, newestMigration)
  const here = outdated.filter(({ server_url }) => server_url === null)
  for (const row of here) await migrateHere(resources, row)
  const there = outdated.filter(({ server_url }) => server_url !== null)
  const waiting = [...Map.groupBy(there, describeServer).values()]
  let migrated = here.length
  const work = async () => {
    for (let rows = waiting.shift(); rows; rows = waiting.shift())
      for (const row of rows) if (await migrateOrReport(resources, row, log)) migrated++
  }
  await Promise.all(Array.from({ length: serversAtOnce }, work))
  return migrated
}

async function migrateOrReport(resources: Resources, row: TenantRow, log: Logger): Promise<boolean> {
  try {
    await migrateThere(resources, row)
    return true
  } catch (error) {
    log.warn('a tenant on a server of its own was not migrated', { tenant: row.id, err: error })
    return false
  }
}

async function migrateHere({ db, clock }: Resources, { id, reference }: TenantRow): Promise<void> {
  const schema = nameSchema(reference)
  await transact(db, {}, async (tx) => {
    const row = await lockTenant(tx, id)
    // Another process has done it, or the tenant was dropped or moved.
    const isOurs = row && row.reference === reference && row.server_url === null
    if (!isOurs || row.migration >= newestMigration) return
    await runInSchema(tx, schema, () => migrateSchema(tx, schema, clock.now()))
    await setMigration(tx, id, newestMigration)
  })
}

/**
 * On the server first, and without a lock of the row, because a long migration would hold it. Of two processes one waits
 * for the lock of the schema and then finds nothing to do. After a crash in between, so does the next start.
 */
export async function migrateThere({ db, clock, databases }: Resources, row: TenantRow): Promise<void> {
  const schema = nameSchema(row.reference)
  await transact(databases.open(row), {}, async (own) => {
    await lockMigrations(own)
    await migrateSchema(own, schema, clock.now())
  })
  await transact(db, {}, async (tx) => {
    const current = await lockTenant(tx, row.id)
    const isSame = current?.reference === row.reference && current.server_url === row.server_url
    if (isSame) await setMigration(tx, row.id, newestMigration)
  })
}
