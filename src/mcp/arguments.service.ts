import type { Static, TSchema } from 'typebox'
import { listFaults } from '../http/validation/validation.ts'
import { AppError, type Fault } from '../kernel/errors.ts'

/** Checks the arguments of a tool, or a part of them. */
export function requireValid<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  at = '',
): Static<Schema> {
  const faults = listFaults(schema, value)
  if (faults.length === 0) return value as Static<Schema>
  throw invalidArguments(faults.map(({ pointer, message }) => ({ pointer: `${at}${pointer}`, message })))
}

export function invalidArguments(errors: readonly Fault[]): AppError {
  return new AppError('validation_failed', 'The arguments do not match the schema.', { errors })
}
