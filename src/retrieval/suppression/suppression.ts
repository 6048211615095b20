import type { RecordStatus } from '../../db/schema.ts'
import type { Question } from '../question/question.ts'
import type { Suppressed } from '../retrieval.schemas.ts'

/** Finds out why a matching record was suppressed. */

export type SuppressedState = {
  status: RecordStatus
  is_valid: boolean
  salience: number
}

/** Returns the first rule that excludes the record; undefined when none does. */
export function findSuppressionReason(
  record: SuppressedState,
  question: Question,
): Suppressed['reason'] | undefined {
  const { statuses, includesExpired, minSalience } = question
  if (!statuses.includes(record.status)) return record.status === 'invalidated' ? 'retracted' : 'status'
  if (!includesExpired && !record.is_valid) return 'validity'
  if (minSalience !== undefined && record.salience < minSalience) return 'min_salience'
  return undefined
}
