import { computeHalfLifeDays, type Layer, neverFading, scoreConstants } from '../importance/importance.ts'

/**
 * Retention: how well a memory is kept since its last use. It is computed when it is needed and never stored.
 */

export type RetentionMode = 'l2' | 'huber' | 'elastic'

/** The parameters of two modes. */
export type RetentionShape = {
  /** The half-lives after which `huber` continues as a straight line with the slope at that point. */
  huberDelta: number
  /** The share of `elastic` that is a straight line. The rest is exponential. */
  elasticRho: number
}
export const defaultRetentionShape: RetentionShape = { huberDelta: 0.5, elasticRho: 0.3 }

export type RetentionInputs = {
  mode: RetentionMode
  layer: Layer
  /** 0 to 1. */
  source_trust: number
  days_since_access: number
  accesses: number
}

export type Retention = {
  value: number
  /** The half-life, shortened for a less trusted source; null for layers that never fade. */
  half_life_days: number | null
  base: number
  bonus: number
}

/** The amount that each use adds, and the most that all uses add together. */
export const retentionBonus = { perAccess: 0.05, largest: 0.3 } as const
/** The half-lives after which the straight part of `elastic` reaches 0. */
export const elasticEnd = 2

export function computeRetention(
  inputs: RetentionInputs,
  shape: RetentionShape = defaultRetentionShape,
): Retention {
  const { perAccess, largest } = retentionBonus
  const bonus = Math.min(largest, perAccess * Math.log1p(inputs.accesses))
  if (neverFading.has(inputs.layer)) return { value: 1, half_life_days: null, base: 1, bonus }
  const halfLife = computeHalfLifeDays(inputs.source_trust)
  const halfLives = Math.min(Math.max(0, inputs.days_since_access) / halfLife, scoreConstants.maxHalfLives)
  const base = computeBaseRetention(inputs.mode, halfLives, shape)
  return { value: Math.min(1, base + bonus), half_life_days: halfLife, base, bonus }
}

function computeBaseRetention(mode: RetentionMode, halfLives: number, shape: RetentionShape): number {
  const { huberDelta: knee, elasticRho: linearShare } = shape
  const exponential = 2 ** -halfLives
  switch (mode) {
    case 'huber': {
      if (halfLives <= knee) return exponential
      return Math.max(0, 2 ** -knee * (1 - Math.LN2 * (halfLives - knee)))
    }
    case 'elastic':
      return linearShare * Math.max(0, 1 - halfLives / elasticEnd) + (1 - linearShare) * exponential
    default:
      return exponential
  }
}
