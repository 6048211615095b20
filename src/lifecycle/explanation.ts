import { combineAccesses, type LoggedAccesses } from '../domain/access-weights.ts'
import { fadingFactor, halfLivesSince, salienceAt } from '../domain/curves.ts'
import {
  type ImportanceFactor,
  importanceFactors,
  importanceWeights,
  sourceTrust,
} from '../domain/importance.ts'
import { computeRetention, type RetentionMode, type RetentionShape } from '../domain/retention.ts'
import { isHistory } from '../domain/vocabulary.ts'
import { momentAfter } from '../kernel/units.ts'
import type { LifecycleSnapshot } from '../records/index.ts'

/** Every number behind what a record has come to, each as of one instant. */

const dayMs = 86_400_000

export type SalienceRule = 'pinned' | 'max_age' | 'floor' | 'curve' | 'revision'

export function explainSalience(life: LifecycleSnapshot, now: Date) {
  const elapsedSeconds = Math.max(0, now.getTime() - life.anchored_at.getTime()) / 1_000
  const halfLives = halfLivesSince(life.anchored_at, now, life.half_life_seconds)
  const value = salienceAt(life, now)
  const factor = fadingFactor(life.curve, halfLives)
  return {
    value,
    base_salience: life.base_salience,
    anchored_at: life.anchored_at.toISOString(),
    elapsed_seconds: elapsedSeconds,
    curve: life.curve,
    half_life_seconds: life.half_life_seconds,
    factor,
    floor: life.min_salience,
    cap: life.max_salience,
    rule: findDecidingRule(life, now, value > life.base_salience * factor),
  }
}

/** The first of the rules that decides, in the order in which they overrule each other. */
function findDecidingRule(life: LifecycleSnapshot, now: Date, isHeldUp: boolean): SalienceRule {
  if (isHistory(life.status)) return 'revision'
  if (life.pinned) return 'pinned'
  if (life.expires_at && life.expires_at <= now) return 'max_age'
  return isHeldUp ? 'floor' : 'curve'
}

/** Of what is no more the log is gone too, and the counts alone speak. */
export function explainImportance(
  life: LifecycleSnapshot & { created_at: Date },
  logged: LoggedAccesses,
  now: Date,
) {
  const values = importanceFactors({
    base_importance: life.base_importance,
    emotional_valence: life.emotional_valence,
    accesses: combineAccesses(life, logged, now),
    age_days: daysBetween(life.created_at, now),
    layer: life.layer,
    source_trust: sourceTrust[life.source_type],
    confirmations: life.confirmation_count,
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
  return { value: Math.min(1, Math.max(0, value)), base_importance: life.base_importance, factors }
}

export function explainRetention(
  life: LifecycleSnapshot & { created_at: Date },
  { mode, shape }: { mode: RetentionMode; shape: RetentionShape },
  now: Date,
) {
  const days = daysBetween(life.last_accessed_at ?? life.created_at, now)
  const inputs = {
    ...{ mode, layer: life.layer, source_trust: sourceTrust[life.source_type] },
    ...{ days_since_access: days, accesses: life.access_count },
  }
  const { value, ...parts } = computeRetention(inputs, shape)
  return { value, mode, days_since_access: days, ...parts }
}

/** What a revision put aside is history, and kept as such for a time of its own. */
export function computeDueAt(life: LifecycleSnapshot, revisedRetentionMs: number): Date | null {
  if (!isHistory(life.status) || !life.prune_at) return life.prune_at
  if (revisedRetentionMs === Number.POSITIVE_INFINITY) return null
  return momentAfter(life.anchored_at, revisedRetentionMs)
}

export type RemovalRule = SalienceRule | 'deletion' | 'archival' | 'erasure'

/** Why it went: by its own fading, because history is not kept for ever, or because someone said so. */
export function findRemovalRule(life: LifecycleSnapshot, reason: string, removedAt: Date): RemovalRule {
  switch (reason) {
    case 'deleted':
      return 'deletion'
    case 'archived':
      return 'archival'
    case 'erased':
      return 'erasure'
    default:
      return explainSalience(life, removedAt).rule
  }
}

function daysBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / dayMs
}
