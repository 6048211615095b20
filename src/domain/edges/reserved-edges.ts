import { AppError } from '../../kernel/errors.ts'

/**
 * Predicates that only the service writes: it derived one record from the other, or a revision connected them.
 */
export const reserved: ReadonlySet<string> = new Set([
  'supersedes',
  'superseded_by',
  'derived_from',
  'derives',
  'contested_by',
])

export function isReserved(predicate: string): boolean {
  return reserved.has(predicate)
}

/**
 * Whether the predicate states a contradiction. A client may add such an edge, but cannot delete one that a contest
 * wrote.
 */
export function isContradiction(predicate: string): boolean {
  return predicate === 'contradicts' || predicate === 'contradicted_by'
}

type Named = readonly { predicate: string }[]

/** The error for a request body that names a reserved relation; undefined when it names none. */
export function findReservedError(relations: Named = []): AppError | undefined {
  const index = relations.findIndex(({ predicate }) => isReserved(predicate))
  return index < 0 ? undefined : createReservedPredicateError(`/relations/${index}/predicate`)
}

export function createReservedPredicateError(pointer?: string): AppError {
  const errors =
    pointer === undefined ? {} : { errors: [{ pointer, message: 'only the service writes this predicate' }] }
  return new AppError(
    'reserved_predicate',
    'Only the service writes relations with this predicate: in a revision, a derivation or a contest.',
    errors,
  )
}
