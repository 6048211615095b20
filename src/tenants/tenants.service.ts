import type { Database } from '../db/connection.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import type { Caller } from '../domain/trust/caller.ts'
import { readPage } from '../http/paging/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import { createTenantCreation } from './changes/tenant-creation.service.ts'
import { createTenantDrop } from './changes/tenant-drop.service.ts'
import { createEventLog } from './changes/tenant-events.service.ts'
import { createTenantMove } from './changes/tenant-move.service.ts'
import type { TenantDatabases } from './databases/tenant-databases.service.ts'
import { presentTenant } from './tenant-answer.service.ts'
import type { TenantDirectory } from './tenant-directory.service.ts'
import { createTenantNotFoundError, requireTenant } from './tenant-errors.ts'
import { findTenant, listTenants, lockTenant, setStatus } from './tenants.queries.ts'
import { type Tenant, TenantCursor, type TenantDecision, type TenantsQuery } from './tenants.schemas.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  directory: TenantDirectory
  databases: TenantDatabases
}

export type TenantsService = ReturnType<typeof createTenantsService>

export function createTenantsService(resources: Resources) {
  const { db, databases } = resources
  const logEvent = createEventLog(resources)

  async function list(caller: Caller, { limit = 50, cursor }: TenantsQuery): Promise<ListPage<Tenant>> {
    const { items, ...next } = await readPage({
      caller,
      list: { list: 'tenants' },
      limit,
      cursor,
      position: TenantCursor,
      read: (after, most) => listTenants(db, { after: after?.id, limit: most }),
    })
    return { items: items.map(presentTenant), ...next }
  }

  async function read(id: string): Promise<Tenant> {
    const row = await findTenant(db, id)
    if (!row) throw createTenantNotFoundError()
    return presentTenant(row)
  }

  async function change(
    call: CallContext,
    id: string,
    { action, actor, rationale }: TenantDecision & { action: 'suspend' | 'resume' },
  ): Promise<Tenant> {
    const status = action === 'suspend' ? 'suspended' : 'active'
    return transact(db, call, async (tx) => {
      const row = requireTenant(await lockTenant(tx, id))
      if (row.status === status) return presentTenant(row)
      await setStatus(tx, id, status)
      await logEvent(tx, row, { action, actor, rationale })
      return presentTenant({ ...row, status })
    })
  }

  return {
    list,
    read,
    change,
    creation: createTenantCreation(resources),
    moving: createTenantMove(resources),
    dropping: createTenantDrop(resources),
    /** Stands for a URL with a password where it must not be stored. */
    concealUrl: databases.digest,
  }
}
