import type { Static, TSchema } from 'typebox'
import { listFaults } from '../../http/validation/validation.ts'
import { AppError, type Fault } from '../../kernel/errors.ts'
import { isUuid } from '../../kernel/ids.ts'

/** Checks the arguments of a tool, or a part of them. */
export function requireValid<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  at = '',
): Static<Schema> {
  const faults = listFaults(schema, value)
  if (faults.length === 0) return value as Static<Schema>
  throw createInvalidArgumentsError(
    faults.map(({ pointer, message }) => ({ pointer: `${at}${pointer}`, message })),
  )
}

/** Refuses arguments that say something else than `chosen`. Those that are undefined are not given. */
export function refuseBeside(chosen: string, others: object): void {
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  const message = `cannot be given beside \`${chosen}\``
  throw createInvalidArgumentsError(given.map(([name]) => ({ pointer: `/${name}`, message })))
}

/** A text that is no id names nothing. */
export function requireId(id: string): string {
  if (isUuid(id)) return id
  throw new AppError('record_not_found', 'There is no such record.')
}

export function createInvalidArgumentsError(errors: readonly Fault[]): AppError {
  return new AppError('validation_failed', 'The arguments do not match the schema.', { errors })
}
