import { AppError } from '../../kernel/errors.ts'

/** The errors of a create. Each points to the field of the record that causes it. */

export function createRecordExistsError(id: string): AppError {
  return new AppError('record_exists', `The id ${id} is already in use.`)
}

/** `index` is the place of the identifier, where it is known. */
export function createIdentifierTakenError(index?: number): AppError {
  const errors = [{ pointer: `/payload/identifiers/${index}`, message: 'is already taken in this scope' }]
  return new AppError(
    'identifier_taken',
    'Another entity of this scope and sensitivity has this identifier.',
    index === undefined ? {} : { errors },
  )
}

export function createMissingTargetError(index: number): AppError {
  return new AppError('record_not_found', 'A relation names a record that does not exist.', {
    errors: [{ pointer: `/relations/${index}/target_id`, message: 'must be the id of an existing record' }],
  })
}

export function createTargetAboveCeilingError(index: number): AppError {
  return new AppError(
    'above_ceiling',
    'A relation names a record that this key sees only in redacted form.',
    {
      errors: [
        { pointer: `/relations/${index}/target_id`, message: 'is above the sensitivity ceiling of the key' },
      ],
    },
  )
}
