import {
  type AccessSummary,
  accessWeight,
  recentAccesses,
} from '../../../src/domain/importance/access-weights.ts'
import { type Layer, neverFading } from '../../../src/domain/importance/importance.ts'
import { archivedAfterDays, archivedBelow } from '../../../src/dream/archival.ts'
import {
  episodicAccesses,
  episodicAfterMs,
  semanticAccesses,
  semanticImportance,
  stepUp,
} from '../../../src/lifecycle/promotion/layers.ts'

/** Rules that the product has in SQL alone, as pure functions: tests compare the two. */

export type PromotionInput = {
  layer: Layer
  /** Time since the creation, or since the last demotion: the client that demoted the record knew its past. */
  held_ms: number
  /** The sum of the access weights since the same moment. */
  accesses: number
  importance: number
}

/** The next layer, when the record has reached its limits; otherwise undefined. */
export function duePromotion({ layer, held_ms, accesses, importance }: PromotionInput): Layer | undefined {
  const isDue =
    layer === 'working'
      ? held_ms >= episodicAfterMs || accesses >= episodicAccesses
      : importance >= semanticImportance && accesses >= semanticAccesses
  return isDue ? stepUp(layer) : undefined
}

export type ArchivalInput = {
  layer: Layer
  pinned: boolean
  deletion_policy: 'auto_prune' | 'manual_only' | 'never'
  age_days: number
  retention: number
  importance: number
  /** The sum of the access weights. A record that is only shown must not be kept for ever. */
  accesses: number
}

/**
 * Whether a record is due for archival. Between two accesses each value only moves towards the limit, so the interval
 * between checks does not change the result.
 */
export function isDueArchival(input: ArchivalInput): boolean {
  const { layer, pinned, deletion_policy: policy, age_days: age } = input
  if (pinned || policy !== 'auto_prune' || neverFading.has(layer) || age <= archivedAfterDays) return false
  return (
    input.retention < archivedBelow.retention &&
    input.importance < archivedBelow.importance &&
    input.accesses < archivedBelow.accesses
  )
}

type AccessAge = { age_days: number; kind: keyof typeof accessWeight }

/** Summarises all accesses, in any order. A time after now counts as now, and one before the creation as the creation. */
export function summariseAccesses(all: readonly AccessAge[], ageDays: number): AccessSummary {
  const known = all
    .map(({ age_days: age, kind }) => ({ age_days: within(age, ageDays), weight: accessWeight[kind] }))
    .sort((left, right) => left.age_days - right.age_days)
  const days = new Set(all.map(({ age_days: age }) => Math.max(0, Math.floor(ageDays - age))))
  return {
    count: known.length,
    weight: known.reduce((sum, { weight }) => sum + weight, 0),
    days: days.size,
    last_age_days: known[0]?.age_days ?? null,
    recent: known.slice(0, recentAccesses),
  }
}

function within(age: number, ageDays: number): number {
  return Math.min(ageDays, Math.max(0, age))
}
