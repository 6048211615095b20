import type { RecordStatus } from '../../db/schema.ts'
import type { Finding } from './references.ts'

/** The status of a record, and whether this step has set it. */
export type RecordState = { status: RecordStatus; isOwn: boolean; missedBy: string | null }

/**
 * `note`: a reference is missing, but the record was already challenged. `clear`: all references are found, and the
 * status is not changed because another client has set it.
 */
export type Move = 'challenge' | 'invalidate' | 'restore' | 'note' | 'clear'

type CheckResult = { findings: readonly Finding[]; isWhole: boolean; runId: string }

/**
 * The first miss challenges the record, a miss in a second run invalidates it. Nothing counts as missing unless all
 * roots of the record were readable: an unmounted disk must not invalidate records. A status that another client has
 * set since stays.
 */
export function decideMove(state: RecordState, { findings, isWhole, runId }: CheckResult): Move | undefined {
  const isAllFound = findings.length > 0 && findings.every((finding) => finding === 'found')
  if (isAllFound) return decideWhenFound(state)
  return isWhole && findings.includes('missing') ? decideWhenMissing(state, runId) : undefined
}

function decideWhenFound({ status, isOwn, missedBy }: RecordState): Move | undefined {
  if (isOwn && (status === 'challenged' || status === 'invalidated')) return 'restore'
  return missedBy === null ? undefined : 'clear'
}

function decideWhenMissing({ status, isOwn, missedBy }: RecordState, runId: string): Move | undefined {
  if (status === 'active') return missedBy === null ? 'challenge' : undefined
  if (status !== 'challenged' || !isOwn || missedBy === runId) return undefined
  return missedBy === null ? 'note' : 'invalidate'
}
