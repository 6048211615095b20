import { AppError } from '../../kernel/errors.ts'
import type { StoredRecord } from '../stored-record.ts'

/** Names the current successor of a replaced record in an error. */

/** The current successors that the caller sees, by the id of the replaced record. */
export type Successors = ReadonlyMap<string, string>

export function describeSuccessor(
  { id }: Pick<StoredRecord, 'id'>,
  successors: Successors,
): { superseded_by?: string } {
  const successor = successors.get(id)
  return successor === undefined ? {} : { superseded_by: successor }
}

/** `consequence` says what is not possible with a record that is history. */
export function createHistoryError(
  stored: Pick<StoredRecord, 'id' | 'status'>,
  successors: Successors,
  consequence: string,
): AppError {
  return new AppError('record_retracted', `The record is ${stored.status}${consequence}`, {
    extra: describeSuccessor(stored, successors),
  })
}
