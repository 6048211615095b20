import type { RequestTenant } from '../../http/auth/tenancy.ts'
import { AppError } from '../../kernel/errors.ts'
import { readReference } from '../../keys/index.ts'
import type { Services } from '../../services.ts'
import { type createTenantDirectory, isMigrated, type TenantRow } from '../../tenants/index.ts'
import { homeTenant } from './home-tenant.ts'

type Resources = {
  directory: ReturnType<typeof createTenantDirectory>
  provideServices(tenant: RequestTenant): Services
}

/** Finds the tenant of a request, by its key or by its id. */
export function createTenantAccess({ directory, provideServices }: Resources) {
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

  return { authenticate, find }
}

function requireNotSuspended({ status }: TenantRow): void {
  if (status === 'suspended') throw new AppError('tenant_suspended', 'The tenant of this key is suspended.')
}

/** A process of an earlier version has made the tenant, or the role migrate has not come to it yet, or has failed. */
export function requireMigrated(tenant: TenantRow): void {
  if (isMigrated(tenant)) return
  throw new AppError(
    'not_ready',
    'The schema of this tenant lacks migrations. Workers apply them if it is not suspended, and so does `npm run migrate`; if they cannot, their log says why.',
    { retryAfterSeconds: 5 },
  )
}
