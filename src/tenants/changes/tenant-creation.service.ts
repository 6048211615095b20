import type { Database } from '../../db/connection.ts'
import { findViolatedConstraint } from '../../db/failures.ts'
import { migrateSchema, newestMigration } from '../../db/migrator.ts'
import { runApart } from '../../db/request-scope.ts'
import { nameSchema } from '../../db/schema-names.ts'
import { createSchema, dropSchema, runInSchema } from '../../db/tenant-schemas.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import { permissions } from '../../domain/trust/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import { createKeysService } from '../../keys/index.ts'
import type { TenantDatabases } from '../databases/tenant-databases.service.ts'
import { presentTenant } from '../tenant-answer.service.ts'
import { createTenantExistsError } from '../tenant-errors.ts'
import { findTenant, insertTenant, lockTenant, setCreated, type TenantRow } from '../tenants.queries.ts'
import { createEventLog } from './tenant-events.service.ts'

type Resources = { db: Database; clock: Clock; ids: Ids; databases: TenantDatabases }
type Inserted = Parameters<typeof insertTenant>[1]

/** A new tenant with its first key. */
export type CreatedHere = Awaited<ReturnType<ReturnType<typeof createTenantCreation>['createHere']>>

/** Creates tenants in the main database, or on servers of their own. */
export function createTenantCreation({ db, clock, ids, databases }: Resources) {
  const logEvent = createEventLog({ clock, ids })

  /** The row, the schema and the first key are one transaction: a crash leaves all of them or none. */
  async function createHere(call: CallContext, id: string) {
    const reference = createReference(ids)
    const row = { id, reference, status: 'active', created_at: clock.now(), migration: newestMigration }
    return transact(db, call, async (tx) => {
      await insertUnlessTaken(tx, row)
      const schema = nameSchema(row.reference)
      await createSchema(tx, schema)
      const first = await runInSchema(tx, schema, () => fill({ ...call, tx }, row.reference))
      await logEvent(tx, row, { action: 'create', actor: call.caller.name })
      return { tenant: presentTenant(row), ...first }
    })
  }

  /** The tables of the schema of the transaction, and the first key. */
  async function fill(call: CallContext & { tx: Transaction }, reference: string) {
    await migrateSchema(call.tx, nameSchema(reference), clock.now())
    return createKeysService({ db, clock, ids, reference }).create(call, firstKey)
  }

  /** If two requests create the same tenant at once, the second waits for the first at the insert. */
  async function insertUnlessTaken(tx: Transaction, row: Inserted): Promise<void> {
    const known = await findTenant(tx, row.id)
    if (known) throw createTenantExistsError(known.status)
    try {
      await insertTenant(tx, row)
    } catch (error) {
      if (findViolatedConstraint(error) !== 'tenants_pkey') throw error
      throw createTenantExistsError(undefined)
    }
  }

  /**
   * Reserves the id, before anything is done on the server: after a crash this row says where a schema may be. The same
   * request finishes what it finds reserved.
   */
  async function reserve(id: string, url: string): Promise<void> {
    const known = await findTenant(db, id)
    if (known && isReservedFor(known, url)) return
    if (known) throw createTenantExistsError(known.status)
    const server = await databases.inspect(url)
    const reference = createReference(ids)
    const row = { id, reference, status: 'creating', created_at: clock.now(), migration: notMigrated }
    await transact(db, {}, (tx) =>
      insertUnlessTaken(tx, { ...row, ...databases.describe(server, reference) }),
    ).catch(async (error: unknown) => {
      // Another request has reserved it since, perhaps for the same.
      const other = await findTenant(db, id)
      if (!other || !isReservedFor(other, url)) throw error
    })
  }

  function isReservedFor(row: TenantRow, url: string): boolean {
    return row.status === 'creating' && databases.urlOf(row) === url
  }

  /**
   * Two transactions, on two servers. The lock of the row lets one request work at a time, and what a crash left on the
   * server was never used, so it is replaced. The connection is a new one: another may have prepared statements with the
   * types of what is replaced.
   */
  async function createThere(call: CallContext, id: string) {
    return transact(db, call, async (tx) => {
      const row = await lockTenant(tx, id)
      if (row?.status !== 'creating') throw createTenantExistsError(row?.status)
      const schema = nameSchema(row.reference)
      const create = async (own: Transaction) => {
        await dropSchema(own, schema)
        await createSchema(own, schema)
        return fill({ caller: call.caller, tx: own }, row.reference)
      }
      const first = await runApart(() => databases.visit(row, (there) => transact(there, {}, create)))
      await setCreated(tx, id, newestMigration)
      await logEvent(tx, row, { action: 'create', actor: call.caller.name })
      return { tenant: presentTenant({ ...row, status: 'active', migration: newestMigration }), ...first }
    })
  }

  return { createHere, reserve, createThere }
}

/** Less than every migration. */
export const notMigrated = '0000'

const firstKey: Parameters<ReturnType<typeof createKeysService>['create']>[1] = {
  name: 'admin',
  permissions: [...permissions],
  max_sensitivity: 'hyper',
  source_type: 'human',
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Sixty random bits. */
function createReference(ids: Ids): string {
  const bytes = Buffer.from(ids.secret(12), 'base64url')
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')
}
