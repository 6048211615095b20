import { AppError } from '../kernel/errors.ts'
import type { TenantRow } from './tenants.queries.ts'

/** How the client gets out of a state in which a tenant cannot be used. */
const unfinished: Readonly<Record<string, string>> = {
  creating: ' Its creation was not finished: repeat it with the same database_url, or delete the tenant.',
  dropping: ' It is being dropped: repeat the DELETE to finish it.',
}

export function createTenantNotFoundError(): AppError {
  return new AppError('tenant_not_found', 'There is no tenant with this id.')
}

/** Throws where there is no tenant, not yet, or no longer. */
export function requireTenant(row: TenantRow | undefined): TenantRow {
  if (!row) throw createTenantNotFoundError()
  const hint = unfinished[row.status]
  if (hint !== undefined) throw new AppError('tenant_not_found', `This tenant cannot be used.${hint}`)
  return row
}

/** Why no tenant of this id can be created. */
export function createTenantExistsError(status: string | undefined): AppError {
  return new AppError(
    'tenant_exists',
    `There is already a tenant with this id.${unfinished[status ?? ''] ?? ''}`,
  )
}
