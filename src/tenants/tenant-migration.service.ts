import type { Database } from '../db/connection.ts'
import { migrateSchema, newestMigration } from '../db/migrator.ts'
import { schemaOf } from '../db/schema-names.ts'
import { inSchema } from '../db/tenant-schemas.ts'
import { transact } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { listOutdatedTenants, lockTenant, setMigration } from './tenants.queries.ts'

/**
 * Applies missing migrations to the schema of every tenant, each in a transaction of its own, and returns how many were
 * changed. One statement finds them.
 */
export async function migrateTenants({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const outdated = await listOutdatedTenants(db, newestMigration)
  for (const { id, reference } of outdated) {
    const schema = schemaOf(reference)
    await transact(db, {}, async (tx) => {
      const row = await lockTenant(tx, id)
      // Another process has done it, or the tenant was dropped.
      if (!row || row.migration >= newestMigration || row.reference !== reference) return
      await inSchema(tx, schema, () => migrateSchema(tx, schema, clock.now()))
      await setMigration(tx, id, newestMigration)
    })
  }
  return outdated.length
}
