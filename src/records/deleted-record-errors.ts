import { AppError } from '../kernel/errors.ts'
import type { DeletedRecord } from './deleted-records.queries.ts'
import type { StoredRecord } from './stored-record.ts'

/** The errors for records that no longer exist. Only a key that could read the record gets the time and the reason. */

export function createDeletedError(
  { kind, departed_at: at, reason }: DeletedRecord,
  isReadable: boolean,
): AppError {
  return kind === 'erased'
    ? new AppError('record_erased', 'The record was erased.', { extra: isReadable ? { erased_at: at } : {} })
    : createPurgedError(reason, at, isReadable)
}

export function createForgottenError(stored: StoredRecord, isReadable: boolean, now?: Date): AppError {
  const { forgotten_reason: reason, forgotten_at: at, purge_at: until } = stored
  if (now && until && until <= now) return createPurgedError(reason, until, isReadable)
  return new AppError('record_forgotten', 'The record was forgotten.', {
    extra: isReadable ? { reason, forgotten_at: at } : {},
  })
}

function createPurgedError(reason: string | null, at: Date, isReadable: boolean): AppError {
  return new AppError('record_purged', 'The record was forgotten and can no longer be restored.', {
    extra: isReadable ? { reason, purged_at: at } : {},
  })
}
