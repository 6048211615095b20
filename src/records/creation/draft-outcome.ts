import { AppError } from '../../kernel/errors.ts'
import type { Draft } from '../stored-record.ts'

/** A new record of a batch, or the error that refuses it. A refused record does not affect the others. */
export type DraftOutcome = Draft | AppError

export function isDraft(outcome: DraftOutcome): outcome is Draft {
  return !(outcome instanceof AppError)
}
