import { AppError } from '../kernel/errors.ts'
import type { DeletedRecord } from './deleted-records.queries.ts'
import type { StoredRecord } from './stored-record.ts'

/** How a record that is gone is spoken of; what it was about is told only to who could have read it. */

export function createDeletedError(
  { kind, departed_at: at, reason }: DeletedRecord,
  isOpen: boolean,
): AppError {
  return kind === 'erased'
    ? new AppError('record_erased', 'The record was erased.', { extra: isOpen ? { erased_at: at } : {} })
    : createPurgedError(reason, at, isOpen)
}

export function createForgottenError(stored: StoredRecord, isOpen: boolean, now?: Date): AppError {
  const { forgotten_reason: reason, forgotten_at: at, purge_at: until } = stored
  if (now && until && until <= now) return createPurgedError(reason, until, isOpen)
  return new AppError('record_forgotten', 'The record was forgotten.', {
    extra: isOpen ? { reason, forgotten_at: at } : {},
  })
}

function createPurgedError(reason: string | null, at: Date, isOpen: boolean): AppError {
  return new AppError('record_purged', 'The record was forgotten and can no longer be restored.', {
    extra: isOpen ? { reason, purged_at: at } : {},
  })
}
