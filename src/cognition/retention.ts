import type { Layer } from './importance.ts'

/** How well a memory is kept since it was last used: derived when it is asked for, never stored. */

export type RetentionMode = 'l2' | 'huber' | 'elastic'

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
  /** Weighed by trust; null for layers that never fade. */
  half_life_days: number | null
  base: number
  bonus: number
}

const neverFading: ReadonlySet<Layer> = new Set(['semantic', 'procedural', 'codebase'])
const halfLifeDays = 30
/** How much faster a memory of no trust fades than one of full trust, beyond once. */
const distrustPenalty = 2
const huberKnee = 0.5
const elasticLinearShare = 0.3
const largestBonus = 0.3
const bonusPerAccess = 0.05
/** As everywhere in the product: beyond them nothing is left to tell apart. */
const maxHalfLives = 64

export function retentionOf(inputs: RetentionInputs): Retention {
  const bonus = Math.min(largestBonus, bonusPerAccess * Math.log1p(inputs.accesses))
  if (neverFading.has(inputs.layer)) return { value: 1, half_life_days: null, base: 1, bonus }
  const halfLife = halfLifeDays / (1 + distrustPenalty * (1 - inputs.source_trust))
  const halfLives = Math.min(Math.max(0, inputs.days_since_access) / halfLife, maxHalfLives)
  const base = baseRetention(inputs.mode, halfLives)
  return { value: Math.min(1, base + bonus), half_life_days: halfLife, base, bonus }
}

function baseRetention(mode: RetentionMode, halfLives: number): number {
  const exponential = 2 ** -halfLives
  switch (mode) {
    case 'huber': {
      if (halfLives <= huberKnee) return exponential
      return Math.max(0, 2 ** -huberKnee * (1 - Math.LN2 * (halfLives - huberKnee)))
    }
    case 'elastic':
      return elasticLinearShare * Math.max(0, 1 - halfLives / 2) + (1 - elasticLinearShare) * exponential
    default:
      return exponential
  }
}
