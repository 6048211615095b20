/**
 * Tenants: customers whose data is in schemas of their own, in the main database or on servers of their own. Create,
 * suspend, resume, move, export and drop them, find the tenant of a key, and bring their schemas to the newest migration.
 * `databases/` opens the server and the schema of a tenant, and migrates them. `changes/` creates, moves and drops tenants, and
 * writes down what was done to each.
 * Not here: how a connection gets into a schema (db/), and which services answer a request (src/roles/tenants/).
 */

export {
  createTenantDatabases,
  describeServer,
  type TenantDatabases,
} from './databases/tenant-databases.service.ts'
export { migrateTenant, migrateTenants } from './databases/tenant-migration.service.ts'
export { listStoresOfTenants, walkTenants } from './databases/tenant-walk.service.ts'
export { isMigrated } from './tenant-answer.service.ts'
export { createTenantDirectory } from './tenant-directory.service.ts'
export { listStoppedTenants, type TenantRow } from './tenants.queries.ts'
export { type TenantsOptions, tenantsRoutes } from './tenants.routes.ts'
export { createTenantsService } from './tenants.service.ts'
