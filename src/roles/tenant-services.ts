import type { TenantConnection } from '../db/connection.ts'
import type { RequestTenant, Tenancy } from '../http/auth/tenancy.ts'
import type { Announcements } from '../jobs/announcements.ts'
import { AppError } from '../kernel/errors.ts'
import { bindLog } from '../kernel/log.ts'
import { readReference } from '../keys/index.ts'
import { createModels } from '../models.ts'
import { listRoutes } from '../routes.ts'
import { createServices, finishServices, type Resources, type Services } from '../services.ts'
import { createInstruments } from '../telemetry/instruments.ts'
import {
  createTenantDatabases,
  createTenantDirectory,
  createTenantsService,
  isMigrated,
  type TenantRow,
} from '../tenants/index.ts'
import { createCurrentServices } from './current-services.ts'
import { homeTenant } from './home-tenant.ts'

/** The services of a tenant without requests are dropped after this time, with all that they have cached. */
const idleMs = 600_000
const tidyMs = 60_000
/** Shorter than a worker looks after a tenant that was announced. */
const announceEveryMs = 20_000

type TenantResources = Omit<Resources, 'db'> & { connection: TenantConnection; announcements: Announcements }
type Reference = RequestTenant['reference']
type Opened = { services: Services; server: string | null; usedAt: number }

/**
 * One set of services for each tenant, over a database that only knows the schema of this tenant. So all that a service
 * keeps in memory belongs to one tenant. The routes call those of the tenant of the request in progress.
 */
export function createTenantServices({ connection, announcements, ...resources }: TenantResources) {
  const { config, clock, ids, log, instruments = createInstruments() } = resources
  const models = createModels({ config, clock, instruments })
  const databases = createTenantDatabases({ connection, ids, key: config.tenantKey, ...config.records })
  const directory = createTenantDirectory({ db: connection.db })
  const opened = new Map<Reference, Opened>()

  function provideServices(location: RequestTenant): Services {
    const { reference, server_url: server } = location
    const known = opened.get(reference)
    const isCurrent = known?.server === server
    const services = isCurrent ? known.services : openServices(location)
    opened.set(reference, { services, server, usedAt: performance.now() })
    // The tenant was moved.
    if (known && !isCurrent) void finish(known.services)
    return services
  }

  function openServices(location: RequestTenant): Services {
    const { id, reference } = location
    return createServices({
      ...resources,
      log: bindLog(log, { tenant: id }),
      db: databases.open(location),
      instruments,
      models,
      tenantReference: reference,
      announcements: announcements.ofTenant(reference),
    })
  }

  async function finish(services: Services): Promise<void> {
    await finishServices(services).catch((error) =>
      log.warn('the services of a tenant did not stop properly; what they had not written is lost', {
        err: error,
      }),
    )
  }

  async function authenticate(token: string) {
    const reference = readReference(token)
    const row = reference === undefined ? undefined : await directory.findByReference(reference)
    if (reference !== undefined && (!row || row.status === 'dropping' || row.status === 'creating'))
      return undefined
    const tenant = row ?? homeTenant
    // Before the key is read: the table of keys may lack migrations too.
    if (row) requireMigrated(row)
    const caller = await provideServices(tenant).keys.authenticate(token)
    if (!caller) return undefined
    if (row) requireNotSuspended(row)
    return { caller, tenant }
  }

  async function find(id: string): Promise<RequestTenant> {
    const tenant = await directory.get(id)
    requireMigrated(tenant)
    return tenant
  }

  async function closeIdle(latest: number): Promise<void> {
    const idle = [...opened].filter(([reference, { usedAt }]) => usedAt <= latest && reference !== undefined)
    for (const [reference] of idle) opened.delete(reference)
    for (const [, { services }] of idle) await finish(services)
  }

  /** A worker looks after a tenant more often for a while. */
  const announced = new Map<Reference, number>()
  function noteWrite({ reference }: RequestTenant): void {
    const now = performance.now()
    if (now - (announced.get(reference) ?? -announceEveryMs) < announceEveryMs) return
    announced.set(reference, now)
    void announcements.ofTenant(reference).announceWrites()
  }

  function tidy(): void {
    const now = performance.now()
    for (const [reference, at] of announced) if (now - at > announceEveryMs) announced.delete(reference)
    void closeIdle(now - idleMs)
  }

  const tidying = setInterval(tidy, tidyMs).unref()
  const tenancy: Tenancy = {
    home: homeTenant,
    authenticate,
    find,
    noteWrite,
    positionsOf: databases.positionsOf,
  }
  const services = createCurrentServices(provideServices)
  const routes = listRoutes(services, {
    tenants: createTenantsService({ clock, ids, db: connection.db, directory, databases }),
    directory,
    exporterOf: (tenant) => {
      requireMigrated(tenant)
      return provideServices(tenant).exporter
    },
  })
  return {
    services: provideServices(homeTenant),
    tenancy,
    routes,
    authenticate: provideServices(homeTenant).keys.authenticate,
    finish: async (): Promise<void> => {
      clearInterval(tidying)
      await closeIdle(Number.POSITIVE_INFINITY)
      await finishServices(provideServices(homeTenant))
    },
  }
}

function requireNotSuspended({ status }: TenantRow): void {
  if (status === 'suspended') throw new AppError('tenant_suspended', 'The tenant of this key is suspended.')
}

/** A process of an earlier version has made the tenant, or the role migrate has not come to it yet, or has failed. */
function requireMigrated(tenant: TenantRow): void {
  if (isMigrated(tenant)) return
  throw new AppError(
    'not_ready',
    'The schema of this tenant lacks migrations. Workers apply them if it is not suspended, and so does `npm run migrate`; if they cannot, their log says why.',
    { retryAfterSeconds: 5 },
  )
}
