import { AppError } from '../kernel/errors.ts'
import type { StoredRecord } from '../records/index.ts'
import { createScopeMismatchError } from './successor-draft.ts'

/** Throws unless all records can be merged into one. */
export function requireSameTypeAndScope([first, ...others]: readonly StoredRecord[]): void {
  const stray = others.findIndex(({ type }) => type !== first?.type)
  if (stray >= 0) {
    throw new AppError('type_mismatch', 'Only records of one type can be merged.', {
      errors: [{ pointer: `/ids/${stray + 1}`, message: `has not the type ${first?.type}` }],
    })
  }
  const foreign = others.findIndex(({ scope }) => scope !== first?.scope)
  if (foreign < 0) return
  throw createScopeMismatchError([{ pointer: `/ids/${foreign + 1}`, message: 'has another scope' }])
}

export function createTooFewError(): AppError {
  return new AppError('validation_failed', 'A merge needs at least two records.', {
    errors: [{ pointer: '/ids', message: 'must contain at least two different ids' }],
  })
}
