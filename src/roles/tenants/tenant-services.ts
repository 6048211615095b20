import type { TenantConnection } from '../../db/connection.ts'
import type { RequestTenant, Tenancy } from '../../http/auth/tenancy.ts'
import type { Announcements } from '../../jobs/queue/announcements.ts'
import { bindLog } from '../../kernel/log.ts'
import { createModels } from '../../models.ts'
import { listRoutes } from '../../routes.ts'
import { createServices, finishServices, type Resources, type Services } from '../../services.ts'
import { createInstruments } from '../../telemetry/instruments.ts'
import { createTenantDatabases, createTenantDirectory, createTenantsService } from '../../tenants/index.ts'
import { createWriteAnnouncements } from '../write-announcements.ts'
import { createCurrentServices } from './current-services.ts'
import { homeTenant } from './home-tenant.ts'
import { createOpenedTenants } from './opened-tenants.ts'
import { createTenantAccess, requireMigrated } from './tenant-access.ts'

const tidyMs = 60_000

type TenantResources = Omit<Resources, 'db'> & { connection: TenantConnection; announcements: Announcements }

/**
 * One set of services for each tenant, over a database that only knows the schema of this tenant. So all that a service
 * keeps in memory belongs to one tenant. The routes call those of the tenant of the request in progress.
 */
export function createTenantServices({ connection, announcements, ...resources }: TenantResources) {
  const { config, clock, ids, log, instruments = createInstruments() } = resources
  const models = createModels({ config, clock, instruments })
  const databases = createTenantDatabases({ connection, ids, key: config.tenantKey, ...config.records })
  const directory = createTenantDirectory({ db: connection.db })
  const opened = createOpenedTenants<Services>({
    open: openServices,
    onMoved: (_, services) => void finish(services),
  })

  function openServices(tenant: RequestTenant): Services {
    const { id, reference } = tenant
    return createServices({
      ...resources,
      log: bindLog(log, { tenant: id }),
      db: databases.open(tenant),
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

  async function close(isDue: (isIdle: boolean) => boolean): Promise<void> {
    const closed = opened.remove((reference, isIdle) => reference !== undefined && isDue(isIdle))
    for (const services of closed) await finish(services)
  }

  const writes = createWriteAnnouncements(announcements)
  const tidying = setInterval(() => {
    writes.tidy()
    void close((isIdle) => isIdle)
  }, tidyMs).unref()
  const tenancy: Tenancy = {
    home: homeTenant,
    ...createTenantAccess({ directory, provideServices: opened.provide }),
    noteWrite: writes.noteWrite,
    positionsOf: databases.positionsOf,
  }
  const home = opened.provide(homeTenant)
  const services = createCurrentServices(opened.provide)
  const routes = listRoutes(services, {
    tenants: createTenantsService({ clock, ids, db: connection.db, directory, databases }),
    directory,
    exporterOf: (tenant) => {
      requireMigrated(tenant)
      return opened.provide(tenant).exporter
    },
  })
  return {
    services: home,
    tenancy,
    routes,
    authenticate: home.keys.authenticate,
    finish: async (): Promise<void> => {
      clearInterval(tidying)
      await close(() => true)
      await finishServices(home)
    },
  }
}
