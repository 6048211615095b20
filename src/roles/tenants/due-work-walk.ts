import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import type { RequestTenant } from '../../http/auth/tenancy.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import {
  describeServer,
  isMigrated,
  migrateTenant,
  type TenantDatabases,
  type TenantRow,
  walkTenants,
} from '../../tenants/index.ts'
import { homeTenant } from './home-tenant.ts'
import { createServerWalks } from './server-walks.ts'
import type { TextWatches } from './text-watches.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  databases: TenantDatabases
  watches: TextWatches
  /** Looks for work that is due. */
  look(tenant: RequestTenant): Promise<void>
}

/**
 * The walk over all tenants. It finds what no message announced, at the cost of three index probes for each tenant, and takes half of
 * the time at most.
 */
export function createDueWorkWalk({ db, clock, log, databases, watches, look }: Resources) {
  const servers = createServerWalks({ log, databases, visit: visitAndPause, stopWatching: watches.stop })

  async function visitAll(signal: AbortSignal): Promise<void> {
    await visit(homeTenant)
    const elsewhere: TenantRow[] = []
    for await (const row of walkTenants(db)) {
      if (signal.aborted) return
      if (row.status !== 'active') continue
      if (row.server_url !== null || !isReady(row)) elsewhere.push(row)
      else await visitAndPause(row, signal)
    }
    for (const [server, rows] of Map.groupBy(elsewhere, describeServer)) servers.start(server, rows, signal)
  }

  /** Pauses for as long as the visit took. */
  async function visitAndPause(row: TenantRow, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    await visit(row)
    await sleep(performance.now() - startedAt, undefined, { signal })
  }

  /** A tenant that fails must not hide the others. */
  async function visit(tenant: RequestTenant | TenantRow): Promise<void> {
    try {
      if ('migration' in tenant && !isMigrated(tenant)) await catchUp(tenant)
      await look(tenant)
    } catch (error) {
      // A server that is away is reported only once.
      if (databases.isAway(tenant)) return
      log.warn('the check of a tenant for due work failed', { tenant: tenant.id, err: error })
    }
  }

  /** The role migrate failed for it, or an older process has created it. */
  async function catchUp(row: TenantRow): Promise<void> {
    await migrateTenant({ db, clock, databases }, row)
    log.info('a tenant is up to date', { tenant: row.id })
  }

  return { visitAll, ended: servers.ended }
}

/** Whether its jobs can run. */
export function isReady(row: TenantRow): boolean {
  return row.status === 'active' && isMigrated(row)
}
