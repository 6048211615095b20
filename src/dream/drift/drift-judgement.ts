import type { RecordStatus } from '../../db/schema.ts'
import type { Finding } from './reference.ts'

/** How a record stands, and whether it was this step that put it there. */
export type RecordState = { status: RecordStatus; isOwn: boolean; missedBy: string | null }

/**
 * `note`: it is missed, but was challenged already. `settle`: all is back, and its status is none of this step's
 * business.
 */
export type Move = 'challenge' | 'invalidate' | 'restore' | 'note' | 'settle'

type CheckResult = { findings: readonly Finding[]; isWhole: boolean; runId: string }

/**
 * A first miss is doubt, a second in another run is certainty. Unless all roots of the record could be looked at there
 * is no miss: a disk that is away takes no memory with it. What somebody else decided since stays.
 */
export function decideMove(state: RecordState, { findings, isWhole, runId }: CheckResult): Move | undefined {
  const isAllFound = findings.length > 0 && findings.every((finding) => finding === 'found')
  if (isAllFound) return decideWhenFound(state)
  return isWhole && findings.includes('missing') ? decideWhenMissing(state, runId) : undefined
}

function decideWhenFound({ status, isOwn, missedBy }: RecordState): Move | undefined {
  if (isOwn && (status === 'challenged' || status === 'invalidated')) return 'restore'
  return missedBy === null ? undefined : 'settle'
}

function decideWhenMissing({ status, isOwn, missedBy }: RecordState, runId: string): Move | undefined {
  if (status === 'active') return missedBy === null ? 'challenge' : undefined
  if (status !== 'challenged' || !isOwn || missedBy === runId) return undefined
  return missedBy === null ? 'note' : 'invalidate'
}
