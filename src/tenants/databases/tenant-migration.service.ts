import type { Database } from '../../db/connection.ts'
import { migrateSchema, newestMigration } from '../../db/migrator.ts'
import { nameSchema } from '../../db/schema-names.ts'
import { transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import {
  findTenant,
  listOutdatedTenants,
  lockTenant,
  setMigration,
  type TenantRow,
} from '../tenants.queries.ts'
import { describeServer, type TenantDatabases } from './tenant-databases.service.ts'
import { lockMigrations } from './tenant-servers.queries.ts'

type Resources = { db: Database; clock: Clock; databases: TenantDatabases }

/** How many servers are worked on at once: one that is away delays the start by its timeout. */
const serversAtOnce = 8

/**
 * Applies missing migrations to the schema of every tenant, and returns how many were changed and how many failed. One
 * statement finds them. A tenant that fails, or whose server is away, stays as it is: it must not keep the others from
 * the start, and workers try it again.
 */
export async function migrateTenants({ log, ...resources }: Resources & { log: Logger }) {
  const outdated = await listOutdatedTenants(resources.db, newestMigration)
  const counts = { migrated: 0, failed: 0 }
  const migrateEach = async (rows: readonly TenantRow[]) => {
    for (const row of rows) counts[await migrateOrReport(resources, row, log)]++
  }
  await migrateEach(outdated.filter(({ server_url }) => server_url === null))
  const there = outdated.filter(({ server_url }) => server_url !== null)
  const waiting = [...Map.groupBy(there, describeServer).values()]
  const work = async () => {
    for (let rows = waiting.shift(); rows; rows = waiting.shift()) await migrateEach(rows)
  }
  await Promise.all(Array.from({ length: serversAtOnce }, work))
  return counts
}

async function migrateOrReport(resources: Resources, row: TenantRow, log: Logger) {
  try {
    await migrateTenant(resources, row)
    return 'migrated'
  } catch (error) {
    log.error('a tenant was not migrated', { tenant: row.id, err: error })
    return 'failed'
  }
}

/**
 * In its schema first, and without a lock of the row, because a long migration would hold it. If two processes meet, one
 * waits for the lock of the schema and then finds nothing to do. After a crash in between, so does the next attempt.
 */
export async function migrateTenant({ db, clock, databases }: Resources, row: TenantRow): Promise<void> {
  // It may have been dropped or moved since it was listed.
  if (!isSame(await findTenant(db, row.id), row)) return
  const schema = nameSchema(row.reference)
  await transact(databases.open(row), {}, async (own) => {
    await lockMigrations(own)
    await migrateSchema(own, schema, clock.now())
  })
  await transact(db, {}, async (tx) => {
    if (isSame(await lockTenant(tx, row.id), row)) await setMigration(tx, row.id, newestMigration)
  })
}

function isSame(current: TenantRow | undefined, { reference, server_url }: TenantRow): boolean {
  return (
    current?.reference === reference && current.server_url === server_url && current.status !== 'dropping'
  )
}
