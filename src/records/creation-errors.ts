import { AppError } from '../kernel/errors.ts'

/** Why a create is not stored, each with the place in the record. */

export function recordExists(id: string): AppError {
  return new AppError('record_exists', `The id ${id} is already in use.`)
}

export function identifierTaken(index: number): AppError {
  return new AppError(
    'identifier_taken',
    'Another entity of this scope and sensitivity has this identifier.',
    {
      errors: [{ pointer: `/payload/identifiers/${index}`, message: 'is already taken in this scope' }],
    },
  )
}

export function targetMissing(index: number): AppError {
  return new AppError('record_not_found', 'A relation names a record that does not exist.', {
    errors: [{ pointer: `/relations/${index}/target_id`, message: 'no such record' }],
  })
}

export function targetAboveCeiling(index: number): AppError {
  return new AppError('above_ceiling', 'A relation names a record that the key sees only redacted.', {
    errors: [{ pointer: `/relations/${index}/target_id`, message: 'is above the ceiling of the key' }],
  })
}
