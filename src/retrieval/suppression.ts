import type { RecordStatus } from '../db/schema.ts'
import type { Question } from './question.ts'
import type { Suppressed } from './retrieval.schemas.ts'

/** Why a record that matches was not answered. */

export type WithheldState = {
  status: RecordStatus
  is_retracted: boolean
  is_valid: boolean
  salience: number
}

/** The first rule that kept it away; undefined for one that none did. */
export function findSuppressionReason(
  fared: WithheldState,
  question: Question,
): Suppressed['reason'] | undefined {
  const { statuses, includesExpired, minSalience } = question
  if (!statuses.includes(fared.status)) return fared.is_retracted ? 'retracted' : 'status'
  if (!includesExpired && !fared.is_valid) return 'validity'
  if (minSalience !== undefined && fared.salience < minSalience) return 'min_salience'
  return undefined
}
