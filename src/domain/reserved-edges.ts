import { AppError } from '../kernel/errors.ts'

/** Edges that only the service writes, because it made one record from the other or set one against the other. */
export const reserved: ReadonlySet<string> = new Set([
  ...['supersedes', 'superseded_by', 'derived_from', 'derives', 'contested_by'],
])

export function isReserved(predicate: string): boolean {
  return reserved.has(predicate)
}

/** Says that two records contradict each other. A client may say so too, but cannot undo it where a contest said it. */
export function isContradiction(predicate: string): boolean {
  return predicate === 'contradicts' || predicate === 'contradicted_by'
}

type Named = readonly { predicate: string }[]

/** Why a body cannot name these relations, if it names one that is reserved. */
export function refuseReserved(relations: Named = []): AppError | undefined {
  const index = relations.findIndex(({ predicate }) => isReserved(predicate))
  return index < 0 ? undefined : reservedPredicate(`/relations/${index}/predicate`)
}

export function reservedPredicate(pointer?: string): AppError {
  const errors =
    pointer === undefined ? {} : { errors: [{ pointer, message: 'is written by the service alone' }] }
  return new AppError(
    'reserved_predicate',
    'A revision or derivation writes this edge, and no client does.',
    errors,
  )
}
