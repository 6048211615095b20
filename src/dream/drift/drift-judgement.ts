import type { RecordStatus } from '../../db/schema.ts'
import type { Finding } from './reference.ts'

/** How a record stands, and whether it was this step that put it there. */
export type Standing = { status: RecordStatus; isOwn: boolean; missedBy: string | null }

/**
 * `note`: it is missed, but was challenged already. `settle`: all is back, and its status is none of this step's
 * business.
 */
export type Move = 'challenge' | 'invalidate' | 'restore' | 'note' | 'settle'

type Looked = { findings: readonly Finding[]; isWhole: boolean; runId: string }

/**
 * A first miss is doubt, a second in another run is certainty. Unless all roots of the record could be looked at there
 * is no miss: a disk that is away takes no memory with it. What somebody else decided since stays.
 */
export function judge(standing: Standing, { findings, isWhole, runId }: Looked): Move | undefined {
  const isBack = findings.length > 0 && findings.every((finding) => finding === 'found')
  if (isBack) return judgeBack(standing)
  return isWhole && findings.includes('missing') ? judgeMissed(standing, runId) : undefined
}

function judgeBack({ status, isOwn, missedBy }: Standing): Move | undefined {
  if (isOwn && (status === 'challenged' || status === 'invalidated')) return 'restore'
  return missedBy === null ? undefined : 'settle'
}

function judgeMissed({ status, isOwn, missedBy }: Standing, runId: string): Move | undefined {
  if (status === 'active') return missedBy === null ? 'challenge' : undefined
  if (status !== 'challenged' || !isOwn || missedBy === runId) return undefined
  return missedBy === null ? 'note' : 'invalidate'
}
