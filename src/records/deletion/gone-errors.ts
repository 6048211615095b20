import { AppError } from '../../kernel/errors.ts'
import type { StoredRecord } from '../stored-record.ts'
import type { Departure } from './departures.queries.ts'

/** The errors (410) for records that are forgotten or no longer exist. Only a key that could read the record gets the time and the reason. */

export function createDepartedError(
  { kind, departed_at: at, reason }: Departure,
  { isReadable }: { isReadable: boolean },
): AppError {
  return kind === 'erased'
    ? new AppError('record_erased', 'The record was erased.', { extra: isReadable ? { erased_at: at } : {} })
    : createPurgedError({ reason, at, isReadable })
}

/** With `now`, a record whose retention has ended then counts as purged. */
export function createForgottenError(
  stored: StoredRecord,
  { isReadable, now }: { isReadable: boolean; now?: Date | undefined },
): AppError {
  const { forgotten_reason: reason, forgotten_at: at, purge_at: until } = stored
  if (now && until && until <= now) return createPurgedError({ reason, at: until, isReadable })
  return new AppError('record_forgotten', 'The record was forgotten.', {
    extra: isReadable ? { reason, forgotten_at: at } : {},
  })
}

type Purge = { reason: string | null; at: Date; isReadable: boolean }

function createPurgedError({ reason, at, isReadable }: Purge): AppError {
  return new AppError('record_purged', 'The record was forgotten and can no longer be restored.', {
    extra: isReadable ? { reason, purged_at: at } : {},
  })
}
