import { AppError, createFaultError } from '../kernel/errors.ts'
import type { StoredRecord } from '../records/index.ts'
import { createScopeMismatchError } from './successor-draft.ts'

/** Throws unless all records can be merged into one. */
export function requireSameTypeAndScope([first, ...others]: readonly StoredRecord[]): void {
  const otherType = others.findIndex(({ type }) => type !== first?.type)
  if (otherType >= 0) {
    throw new AppError('type_mismatch', 'Only records of one type can be merged.', {
      errors: [{ pointer: `/ids/${otherType + 1}`, message: `has not the type ${first?.type}` }],
    })
  }
  const otherScope = others.findIndex(({ scope }) => scope !== first?.scope)
  if (otherScope < 0) return
  throw createScopeMismatchError([{ pointer: `/ids/${otherScope + 1}`, message: 'has another scope' }])
}

export function createTooFewError(): AppError {
  return createFaultError('A merge needs at least two records.', {
    pointer: '/ids',
    message: 'must contain at least two different ids',
  })
}
