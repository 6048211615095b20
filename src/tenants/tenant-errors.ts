import { AppError } from '../kernel/errors.ts'
import type { TenantRow } from './tenants.queries.ts'

export function tenantNotFound(): AppError {
  return new AppError('tenant_not_found', 'There is no tenant of this id.')
}

/** Throws where there is no tenant, not yet, or no longer. */
export function requireTenant(row: TenantRow | undefined): TenantRow {
  if (!row || row.status === 'dropping' || row.status === 'creating') throw tenantNotFound()
  return row
}

/** Why no tenant of this id can be created. */
export function tenantExists(status: string | undefined): AppError {
  const unfinished =
    status === 'creating'
      ? ' Its creation was not finished: repeat it with the same database_url, or delete the tenant.'
      : ''
  return new AppError('tenant_exists', `There is a tenant of this id.${unfinished}`)
}
