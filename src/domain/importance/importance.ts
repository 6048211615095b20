import { countDaysBetween } from '../../kernel/units.ts'
import { type AccessSummary, noAccesses, recentAccesses } from './access-weights.ts'
import { saturate } from './saturation.ts'

/**
 * The importance score from nine factors. It is a pure function, so computing it again at the same instant changes
 * nothing.
 */

export type Layer = 'working' | 'episodic' | 'semantic' | 'procedural' | 'codebase'

export type ImportanceInputs = {
  base_importance: number
  accesses: AccessSummary
  /** Days since creation. */
  age_days: number
  layer: Layer
  /** 0 to 1. */
  source_trust: number
  /** −1 to 1. */
  emotional_valence: number
  /** Confirmations by a source other than the record's own. */
  confirmations: number
}

export const importanceWeights = {
  base: 0.3,
  access: 0.12,
  recency: 0.12,
  valence: 0.06,
  stability: 0.06,
  layer: 0.12,
  trust: 0.08,
  confirmations: 0.06,
  activation: 0.08,
} as const

export type ImportanceFactor = keyof typeof importanceWeights
export type ImportanceFactors = Record<ImportanceFactor, number>

export const sourceTrust = {
  human: 1,
  ai: 0.7,
  interaction: 0.6,
  ingest: 0.5,
  code_scan: 0.5,
  dream: 0.4,
  auto_extracted: 0,
} as const

export const layerBoost: Readonly<Record<Layer, number>> = {
  working: 0,
  episodic: 1 / 3,
  codebase: 1 / 2,
  procedural: 2 / 3,
  semantic: 1,
}
export const neverFading: ReadonlySet<Layer> = new Set(['semantic', 'procedural', 'codebase'])
/** The constants of the score. The SQL of the score is built from the same object. */
export const scoreConstants = {
  halfLifeDays: 30,
  /** A memory from a source of trust 0 fades faster by this factor, plus one, than a memory of full trust. */
  distrustPenalty: 2,
  /** The limit of all exponents in the product: beyond it the values no longer differ. */
  maxHalfLives: 64,
  saturatingAccesses: 20,
  saturatingConfirmations: 5,
  /** One minute. An access at this very instant would have infinite activation. */
  minAgeDays: 1 / 1_440,
  activationShift: 1,
  activationScale: 1.5,
} as const

/** Smaller changes are not written, because the score of every record changes all the time. */
export const importanceTolerance = 0.01

export function scoreImportance(inputs: ImportanceInputs): number {
  const factors = computeImportanceFactors(inputs)
  let score = 0
  for (const [name, weight] of Object.entries(importanceWeights)) {
    score += weight * factors[name as ImportanceFactor]
  }
  return Math.min(1, Math.max(0, score))
}

type UnusedRecord = Pick<ImportanceInputs, 'base_importance' | 'emotional_valence' | 'layer'> & {
  created_at: Date
  source_type: keyof typeof sourceTrust
  confirmation_count: number
}

/** The importance of a record that was never used. */
export function scoreUnused(record: UnusedRecord, now: Date): number {
  return scoreImportance({
    base_importance: record.base_importance,
    emotional_valence: record.emotional_valence,
    accesses: noAccesses,
    age_days: countDaysBetween(record.created_at, now),
    layer: record.layer,
    source_trust: sourceTrust[record.source_type],
    confirmations: record.confirmation_count,
  })
}

export function computeImportanceFactors(inputs: ImportanceInputs): ImportanceFactors {
  const { accesses } = inputs
  return {
    base: inputs.base_importance,
    access: saturate(accesses.weight, scoreConstants.saturatingAccesses),
    recency: computeRecency(inputs),
    valence: Math.abs(inputs.emotional_valence),
    stability: computeStability(accesses, inputs.age_days),
    layer: layerBoost[inputs.layer],
    trust: inputs.source_trust,
    confirmations: saturate(inputs.confirmations, scoreConstants.saturatingConfirmations),
    activation: computeLogistic(
      (computeActivation(accesses, inputs.age_days) + scoreConstants.activationShift) /
        scoreConstants.activationScale,
    ),
  }
}

function computeLogistic(value: number): number {
  return 1 / (1 + Math.exp(-value))
}

function computeRecency({ layer, accesses, age_days: age, source_trust: trust }: ImportanceInputs): number {
  if (neverFading.has(layer)) return 1
  const halfLives = (accesses.last_age_days ?? age) / computeHalfLifeDays(trust)
  return 2 ** -Math.min(halfLives, scoreConstants.maxHalfLives)
}

/** Shorter for a less trusted source. */
export function computeHalfLifeDays(trust: number): number {
  return scoreConstants.halfLifeDays / (1 + scoreConstants.distrustPenalty * (1 - trust))
}

/**
 * How evenly the accesses are spread over the life of the record: days with an access divided by the days there could
 * be.
 */
function computeStability({ count, days }: AccessSummary, ageDays: number): number {
  if (count === 0) return 0
  return Math.min(1, days / Math.min(count, Math.floor(ageDays) + 1))
}

/** ACT-R base-level activation with decay 0.5. The creation counts as the first presentation. */
function computeActivation({ weight, recent, last_age_days: last }: AccessSummary, ageDays: number): number {
  const known = recent.reduce((sum, each) => sum + each.weight, 0)
  const exact = recent.reduce((sum, each) => sum + each.weight / Math.sqrt(clampAge(each.age_days)), 0)
  const nearest = clampAge(recent.at(-1)?.age_days ?? last ?? ageDays)
  // The other accesses are only known to lie between the oldest known access and the creation.
  const isAllKnown = weight <= known && recent.length < recentAccesses
  const from = isAllKnown ? clampAge(ageDays) : nearest
  return Math.log(exact + sumEvenlySpread(1 + Math.max(0, weight - known), from, clampAge(ageDays)))
}

function clampAge(age: number): number {
  return Math.max(age, scoreConstants.minAgeDays)
}

/** The approximation of Petrov (2006): presentations that are spread evenly between two ages. */
function sumEvenlySpread(count: number, nearest: number, oldest: number): number {
  // Equal to 2·count·(√oldest − √nearest) / (oldest − nearest), but also defined where both ages are equal.
  return (2 * count) / (Math.sqrt(oldest) + Math.sqrt(nearest))
}
