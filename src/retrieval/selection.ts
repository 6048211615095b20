import type { Payload } from '../domain/payloads/payloads.ts'
import { dayMs } from '../kernel/units.ts'
import { compareMatches } from './channels/match.ts'
import type { Selection } from './retrieval.schemas.ts'

/** Ranks the procedures found for a task and says how sure the choice is. */

export type TrackRecord = {
  /** 0 to 1; null for a procedure that was never tried. */
  success_rate: number | null
  last_used_at: Date | null
}

export type SelectionCandidate = TrackRecord & {
  id: string
  /** How well it fits the task, 0 to 1; null when unknown. */
  applicability: number | null
}

/** Neutral: an untried procedure does not count as failed. */
const noData = 0.5
const recencyHalfLifeMilliseconds = 30 * dayMs

/** Returns the track record of a procedure; null for other payloads. */
export function readTrackRecord(payload: Payload): TrackRecord | null {
  if (payload.kind === 'competence') {
    const { performance } = payload
    const uses = (performance?.success_count ?? 0) + (performance?.failure_count ?? 0)
    return {
      success_rate: readExperiencedRate(performance?.success_rate, uses),
      last_used_at: parseInstant(performance?.last_used_at),
    }
  }
  if (payload.kind !== 'plan_graph') return null
  const { metrics } = payload
  const failureRate = readExperiencedRate(metrics?.failure_rate, metrics?.execution_count ?? 0)
  return {
    success_rate: failureRate === null ? null : 1 - failureRate,
    last_used_at: parseInstant(metrics?.last_executed_at),
  }
}

/** A rate of 0 without attempts is a default, not experience. Any other rate was reported by a client. */
function readExperiencedRate(rate: number | undefined, attempts: number): number | null {
  return rate === undefined || (rate === 0 && attempts === 0) ? null : rate
}

function parseInstant(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text)
}

/** Ranks the candidates; null when there are none. */
export function selectProcedure(
  candidates: readonly SelectionCandidate[],
  now: Date,
  threshold: number,
): Selection | null {
  if (candidates.length === 0) return null
  const ranked = candidates
    .map((candidate) => ({ id: candidate.id, score: scoreCandidate(candidate, now) }))
    .sort(compareMatches)
  const confidence = computeConfidence(ranked.map(({ score }) => score))
  return {
    selected: ranked.map(({ id }) => id),
    confidence,
    needs_more: confidence < threshold,
    scores: Object.fromEntries(ranked.map(({ id, score }) => [id, score])),
  }
}

export function scoreCandidate(candidate: SelectionCandidate, now: Date): number {
  const applicability = candidate.applicability ?? noData
  const successRate = candidate.success_rate ?? noData
  return (applicability + successRate + computeRecency(candidate.last_used_at, now)) / 3
}

function computeRecency(lastUsedAt: Date | null, now: Date): number {
  if (lastUsedAt === null) return noData
  const elapsed = Math.max(0, now.getTime() - lastUsedAt.getTime())
  return 2 ** -(elapsed / recencyHalfLifeMilliseconds)
}

/** How clearly the best leads. A single candidate is as sure as its score. */
function computeConfidence([best = 0, second]: readonly number[]): number {
  if (second === undefined) return best
  return best === 0 ? 0 : (best - second) / best
}
