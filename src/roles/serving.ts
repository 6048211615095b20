import type { TenantConnection } from '../db/connection.ts'
import { listRoutes } from '../routes.ts'
import { createServices, finishServices, type Resources } from '../services.ts'
import { createTenantServices } from './tenants/tenant-services.ts'

type ServingResources = Omit<Resources, 'db'> & { connection: TenantConnection }

/** The services and routes that answer requests, with tenants or without. */
export function createServing({ announcements, ...resources }: ServingResources) {
  if (resources.config.tenants) {
    if (!announcements) throw new TypeError('tenants without announcements')
    return createTenantServices({ ...resources, announcements })
  }
  const services = createServices({ ...resources, db: resources.connection.db, announcements })
  return {
    services,
    tenancy: undefined,
    authenticate: services.keys.authenticate,
    routes: listRoutes(services),
    finish: () => finishServices(services),
  }
}
