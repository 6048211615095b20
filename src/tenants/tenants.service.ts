import type { Database } from '../db/connection.ts'
import { violatedConstraint } from '../db/failures.ts'
import { migrateSchema, newestMigration } from '../db/migrator.ts'
import { schemaOf } from '../db/schema-names.ts'
import { createSchema, dropSchema, inSchema } from '../db/tenant-schemas.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { type Caller, permissions } from '../domain/caller.ts'
import type { ListPage } from '../domain/shapes.ts'
import { readPage } from '../http/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import { createKeysService } from '../keys/index.ts'
import { type TenantDirectory, tenantNotFound } from './tenant-directory.service.ts'
import {
  countContents,
  deleteTenant,
  findTenant,
  insertEvent,
  insertTenant,
  listTenants,
  lockTenant,
  setStatus,
  type TenantRow,
} from './tenants.queries.ts'
import {
  type NewTenant,
  type Tenant,
  TenantCursor,
  type TenantDecision,
  type TenantReceipt,
  type TenantsQuery,
} from './tenants.schemas.ts'

type Resources = { db: Database; clock: Clock; ids: Ids; directory: TenantDirectory }

export type TenantsService = ReturnType<typeof createTenantsService>

export function createTenantsService({ db, clock, ids, directory }: Resources) {
  const keys = (reference: string) => createKeysService({ db, clock, ids, reference })

  /** The row, the schema and the first key are one transaction: a crash leaves all of them or none. */
  async function create(call: CallContext, { id }: NewTenant) {
    const row = { id, reference: createReference(ids), status: 'active', created_at: clock.now() }
    return transact(db, call, async (tx) => {
      await insertUnlessTaken(tx, { ...row, migration: newestMigration })
      const schema = schemaOf(row.reference)
      await createSchema(tx, schema)
      const first = await inSchema(tx, schema, async () => {
        await migrateSchema(tx, schema, row.created_at)
        return keys(row.reference).create({ caller: call.caller, tx }, firstKey)
      })
      await logEvent(tx, row, { action: 'create', actor: call.caller.name })
      return { tenant: present(row), ...first }
    })
  }

  /** Of two that create the same tenant, the second waits here for the first. */
  async function insertUnlessTaken(tx: Transaction, row: TenantRow): Promise<void> {
    try {
      await insertTenant(tx, row)
    } catch (error) {
      if (violatedConstraint(error) !== 'tenants_pkey') throw error
      throw new AppError('tenant_exists', 'There is a tenant of this id.')
    }
  }

  async function list(caller: Caller, { limit = 50, cursor }: TenantsQuery): Promise<ListPage<Tenant>> {
    const { items, ...next } = await readPage({
      ...{ caller, list: { list: 'tenants' }, limit, cursor, position: TenantCursor },
      read: (after, most) => listTenants(db, { after: after?.id, limit: most }),
    })
    return { items: items.map(present), ...next }
  }

  async function read(id: string): Promise<Tenant> {
    const row = await findTenant(db, id)
    if (!row) throw tenantNotFound()
    return present(row)
  }

  async function change(
    call: CallContext,
    id: string,
    { action, actor, rationale }: TenantDecision & { action: 'suspend' | 'resume' },
  ): Promise<Tenant> {
    const status = action === 'suspend' ? 'suspended' : 'active'
    return transact(db, call, async (tx) => {
      const row = await lockExisting(tx, id)
      if (row.status === status) return present(row)
      await setStatus(tx, id, status)
      await logEvent(tx, row, { action, actor, rationale })
      directory.forget(row)
      return present({ ...row, status })
    })
  }

  /**
   * Refuses the keys of the tenant and stops its jobs, in a transaction of its own: a request that came after the drop
   * began would wait for it, and hold a connection that other tenants need.
   */
  async function beginDrop(id: string): Promise<void> {
    await transact(db, {}, async (tx) => {
      const row = await lockTenant(tx, id)
      if (!row) throw tenantNotFound()
      await setStatus(tx, id, 'dropping')
      directory.forget(row)
    })
  }

  /** Removes a tenant whose drop has begun. After a crash in between, the same request finishes it. */
  async function drop(call: CallContext, id: string, why: TenantDecision): Promise<TenantReceipt> {
    return transact(db, call, async (tx) => {
      const row = await lockTenant(tx, id)
      if (!row) throw tenantNotFound()
      const schema = schemaOf(row.reference)
      const removed = await inSchema(tx, schema, () => countContents(tx))
      await dropSchema(tx, schema)
      await deleteTenant(tx, id)
      await logEvent(tx, row, { action: 'drop', ...why, removed: JSON.stringify(removed) })
      directory.forget(row)
      return { id, actor: why.actor, dropped_at: clock.now().toISOString(), removed }
    })
  }

  async function lockExisting(tx: Transaction, id: string): Promise<TenantRow> {
    const row = await lockTenant(tx, id)
    if (!row || row.status === 'dropping') throw tenantNotFound()
    return row
  }

  function logEvent(
    tx: Transaction,
    { id, reference }: Pick<TenantRow, 'id' | 'reference'>,
    event: { action: string; actor: string; rationale?: string; removed?: string },
  ): Promise<void> {
    return insertEvent(tx, { id: ids.next(), tenant_id: id, reference, at: clock.now(), ...event })
  }

  return { create, list, read, change, beginDrop, drop }
}

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

function present({ id, status, created_at }: Pick<TenantRow, 'id' | 'status' | 'created_at'>): Tenant {
  return { id, status: statusOf(status), created_at: created_at.toISOString() }
}

function statusOf(status: string): Tenant['status'] {
  return status === 'suspended' || status === 'dropping' ? status : 'active'
}
