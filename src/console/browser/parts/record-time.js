import { isRedacted } from './record-text.js'

/** @import { SeenRecord } from '../api/types.d.ts' */

/**
 * When what a record says happened or was stated, as a context has it: a message may be stored long after it was written.
 * @param {SeenRecord} record
 */
export function findTime(record) {
  const { created_at: created } = record
  if (isRedacted(record)) return created
  const { payload } = record
  if (payload.kind === 'episodic') return payload.conversation?.at ?? payload.timeline[0]?.t ?? created
  const stated = payload.kind === 'semantic' ? payload.evidence?.[0]?.timestamp : undefined
  return stated !== undefined && Date.parse(stated) < Date.parse(created) ? stated : created
}
