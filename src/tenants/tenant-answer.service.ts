import { newestMigration } from '../db/migrator.ts'
import { nameSchema } from '../db/schema-names.ts'
import type { TenantRow } from './tenants.queries.ts'
import type { Tenant } from './tenants.schemas.ts'

type Shown = Pick<TenantRow, 'id' | 'reference' | 'status' | 'created_at' | 'migration'> &
  Partial<Pick<TenantRow, 'server_host' | 'server_port' | 'server_database'>>

/** The tenant as a client may see it: without the user and password of its server. */
export function presentTenant({ id, reference, status, created_at, migration, ...row }: Shown): Tenant {
  const { server_host: host, server_port: port, server_database: name } = row
  const server = host && port && name ? { database: { host, port, name } } : {}
  return {
    id,
    status: readStatus(status),
    created_at: created_at.toISOString(),
    schema: nameSchema(reference),
    migrated: isMigrated({ migration }),
    ...server,
  }
}

/** Whether its schema has the tables that this version needs. */
export function isMigrated({ migration }: Pick<TenantRow, 'migration'>): boolean {
  return migration >= newestMigration
}

function readStatus(status: string): Tenant['status'] {
  return status === 'suspended' || status === 'dropping' || status === 'creating' ? status : 'active'
}
