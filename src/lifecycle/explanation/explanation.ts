import { combineAccesses, type LoggedAccesses } from '../../domain/importance/access-weights.ts'
import {
  computeImportanceFactors,
  type ImportanceFactor,
  importanceWeights,
  sourceTrust,
} from '../../domain/importance/importance.ts'
import { computeKeeping, type KeepingFigures } from '../../domain/importance/keeping.ts'
import { computeFadingFactor, computeSalience, countHalfLivesSince } from '../../domain/lifecycle/curves.ts'
import {
  computeRetention,
  type RetentionMode,
  type RetentionShape,
} from '../../domain/lifecycle/retention.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import { addMilliseconds, countDaysBetween } from '../../kernel/units.ts'
import type { LifecycleSnapshot } from '../../records/index.ts'
import type { Explanation } from './explain.schemas.ts'

/** The numbers behind salience, importance and retention, as of one instant. */

type SalienceRule = Explanation['salience']['rule']
type RemovalRule = NonNullable<Explanation['removal']>['rule']

export function explainSalience(snapshot: LifecycleSnapshot, now: Date) {
  const elapsedSeconds = Math.max(0, now.getTime() - snapshot.anchored_at.getTime()) / 1_000
  const halfLives = countHalfLivesSince(snapshot.anchored_at, now, snapshot.half_life_seconds)
  const value = computeSalience(snapshot, now)
  const factor = computeFadingFactor(snapshot.curve, halfLives)
  return {
    value,
    base_salience: snapshot.base_salience,
    anchored_at: snapshot.anchored_at.toISOString(),
    elapsed_seconds: elapsedSeconds,
    curve: snapshot.curve,
    half_life_seconds: snapshot.half_life_seconds,
    factor,
    floor: snapshot.min_salience,
    cap: snapshot.max_salience,
    rule: findDecidingRule(snapshot, now, value > snapshot.base_salience * factor),
  }
}

/** The rule that decides. The order is the order of precedence. */
function findDecidingRule(snapshot: LifecycleSnapshot, now: Date, isAtFloor: boolean): SalienceRule {
  if (isHistory(snapshot.status) && snapshot.base_salience === 0) return 'revision'
  if (snapshot.pinned) return 'pinned'
  if (snapshot.expires_at && snapshot.expires_at <= now) return 'max_age'
  return isAtFloor ? 'floor' : 'curve'
}

/** The access log of a purged or erased record is deleted; the stored counts remain. */
export function explainImportance(
  snapshot: LifecycleSnapshot & { created_at: Date },
  logged: LoggedAccesses,
  now: Date,
) {
  const values = computeImportanceFactors({
    base_importance: snapshot.base_importance,
    emotional_valence: snapshot.emotional_valence,
    accesses: combineAccesses(snapshot, logged, now),
    age_days: countDaysBetween(snapshot.created_at, now),
    layer: snapshot.layer,
    source_trust: sourceTrust[snapshot.source_type],
    confirmations: snapshot.confirmation_count,
  })
  const explain = (name: ImportanceFactor) => {
    const weight = importanceWeights[name]
    return { value: values[name], weight, contribution: weight * values[name] }
  }
  const factors = {
    base: explain('base'),
    access: explain('access'),
    recency: explain('recency'),
    valence: explain('valence'),
    stability: explain('stability'),
    layer: explain('layer'),
    trust: explain('trust'),
    confirmations: explain('confirmations'),
    activation: explain('activation'),
  }
  const value = Object.values(factors).reduce((sum, { contribution }) => sum + contribution, 0)
  return { value: Math.min(1, Math.max(0, value)), base_importance: snapshot.base_importance, factors }
}

export function explainRetention(
  snapshot: LifecycleSnapshot & { created_at: Date },
  { mode, shape }: { mode: RetentionMode; shape: RetentionShape },
  now: Date,
) {
  const days = countDaysBetween(snapshot.last_accessed_at ?? snapshot.created_at, now)
  const inputs = {
    mode,
    layer: snapshot.layer,
    source_trust: sourceTrust[snapshot.source_type],
    days_since_access: days,
    accesses: snapshot.access_count,
  }
  const { value, ...parts } = computeRetention(inputs, shape)
  return { value, mode, days_since_access: days, ...parts }
}

export function explainKeeping(figures: KeepingFigures, salience: number) {
  return { value: computeKeeping(figures, salience), ...figures, salience }
}

/**
 * The moment from which a sweep prunes the record. A record that a revision replaced has a retention time of its own.
 */
export function computeDueAt(snapshot: LifecycleSnapshot, revisedRetentionMs: number): Date | null {
  if (!isHistory(snapshot.status) || !snapshot.prune_at) return snapshot.prune_at
  if (revisedRetentionMs === Number.POSITIVE_INFINITY) return null
  const keptUntil = addMilliseconds(snapshot.anchored_at, revisedRetentionMs)
  // A record that a request or a dream invalidated fades on as before.
  return new Date(Math.max(keptUntil.getTime(), snapshot.prune_at.getTime()))
}

/** Why the record was removed: it faded, its retention after a revision ended, a budget was exceeded, or a client deleted it. */
export function findRemovalRule(snapshot: LifecycleSnapshot, reason: string, removedAt: Date): RemovalRule {
  switch (reason) {
    case 'deleted':
      return 'deletion'
    case 'archived':
      return 'archival'
    case 'erased':
      return 'erasure'
    case 'budget':
      return 'budget'
    default:
      return explainSalience(snapshot, removedAt).rule
  }
}
