/**
 * Tenants: customers whose data is in schemas of their own, in the main database or on servers of their own. Create,
 * suspend, resume, move, export and drop them, find the tenant of a key, and bring their schemas to the newest migration.
 * Not here: how a connection gets into a schema (db/), and which services answer a request (src/roles/tenants/).
 */

export { isMigrated } from './tenant-answer.service.ts'
export { createTenantDatabases, describeServer, type TenantDatabases } from './tenant-databases.service.ts'
export { createTenantDirectory } from './tenant-directory.service.ts'
export { migrateTenant, migrateTenants } from './tenant-migration.service.ts'
export { listStoresOfTenants, walkTenants } from './tenant-walk.service.ts'
export { listStoppedTenants, type TenantRow } from './tenants.queries.ts'
export { type TenantsOptions, tenantsRoutes } from './tenants.routes.ts'
export { createTenantsService } from './tenants.service.ts'
