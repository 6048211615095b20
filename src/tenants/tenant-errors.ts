import { AppError } from '../kernel/errors.ts'

export function tenantNotFound(): AppError {
  return new AppError('tenant_not_found', 'There is no tenant of this id.')
}

/** Why no tenant of this id can be created. */
export function tenantExists(status: string | undefined): AppError {
  const unfinished =
    status === 'creating'
      ? ' Its creation was not finished: repeat it with the same database_url, or delete the tenant.'
      : ''
  return new AppError('tenant_exists', `There is a tenant of this id.${unfinished}`)
}
