import type { Payload } from '../domain/payloads.ts'

/** Which of the ways to do a task that were found is the one to take, and how sure that is. */

export type TrackRecord = {
  /** 0 to 1; null when it was never tried. */
  success_rate: number | null
  last_used_at: Date | null
}

export type SelectionCandidate = TrackRecord & {
  id: string
  /** How well it fits the task, 0 to 1; null when nobody could tell. */
  applicability: number | null
}

export type Selection = {
  /** Every contender, best first. */
  selected: string[]
  confidence: number
  needs_more: boolean
  scores: Record<string, number>
}

const defaultConfidenceThreshold = 0.7
/** Neither for nor against: what was never tried is not held to have failed. */
const noData = 0.5
const recencyHalfLifeMilliseconds = 30 * 86_400_000

/** What is known of a procedure's use; null for what is no procedure. */
export function readTrackRecord(payload: Payload): TrackRecord | null {
  if (payload.kind === 'competence') {
    const { performance } = payload
    const uses = (performance?.success_count ?? 0) + (performance?.failure_count ?? 0)
    return {
      success_rate: experiencedRate(performance?.success_rate, uses),
      last_used_at: instantOf(performance?.last_used_at),
    }
  }
  if (payload.kind !== 'plan_graph') return null
  const { metrics } = payload
  const failureRate = experiencedRate(metrics?.failure_rate, metrics?.execution_count ?? 0)
  return {
    success_rate: failureRate === null ? null : 1 - failureRate,
    last_used_at: instantOf(metrics?.last_executed_at),
  }
}

/** A rate of 0 in no attempts is arithmetic, not experience; any other rate somebody has claimed to know. */
function experiencedRate(rate: number | undefined, attempts: number): number | null {
  return rate === undefined || (rate === 0 && attempts === 0) ? null : rate
}

function instantOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text)
}

/** Null when there is nothing to select from. */
export function selectProcedure(
  contenders: readonly SelectionCandidate[],
  now: Date,
  threshold: number = defaultConfidenceThreshold,
): Selection | null {
  if (contenders.length === 0) return null
  const ranked = contenders
    .map((contender) => ({ id: contender.id, score: scoreCandidate(contender, now) }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
  const confidence = confidenceOf(ranked.map(({ score }) => score))
  return {
    selected: ranked.map(({ id }) => id),
    confidence,
    needs_more: confidence < threshold,
    scores: Object.fromEntries(ranked.map(({ id, score }) => [id, score])),
  }
}

export function scoreCandidate(contender: SelectionCandidate, now: Date): number {
  const applicability = contender.applicability ?? noData
  const successRate = contender.success_rate ?? noData
  return (applicability + successRate + recency(contender.last_used_at, now)) / 3
}

function recency(lastUsedAt: Date | null, now: Date): number {
  if (lastUsedAt === null) return noData
  const elapsed = Math.max(0, now.getTime() - lastUsedAt.getTime())
  return 2 ** -(elapsed / recencyHalfLifeMilliseconds)
}

/** How clearly the best leads; one that stands alone leads nobody, so it is as sure as it is good. */
function confidenceOf([best = 0, second]: readonly number[]): number {
  if (second === undefined) return best
  return best === 0 ? 0 : (best - second) / best
}
