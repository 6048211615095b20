import { AppError } from '../../kernel/errors.ts'
import type { Draft } from '../stored-record.ts'

/** A new record of a batch, or the error that refuses it. A refused record does not affect the others. */
export type DraftOutcome = Draft | AppError

export function isDraft(outcome: DraftOutcome): outcome is Draft {
  return !(outcome instanceof AppError)
}

/** Applies a check or a change to the records that are not refused yet. */
export function mapDrafts(
  outcomes: readonly DraftOutcome[],
  work: (draft: Draft) => DraftOutcome,
): DraftOutcome[] {
  return outcomes.map((outcome) => (isDraft(outcome) ? work(outcome) : outcome))
}
