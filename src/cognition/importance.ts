/** The nine-factor importance: one pure score, so that computing it again at the same instant moves nothing. */

export type Layer = 'working' | 'episodic' | 'semantic' | 'procedural' | 'codebase'

export type ImportanceInputs = {
  base_importance: number
  /** Days since each access, in any order. */
  access_ages_days: readonly number[]
  /** Days since creation. */
  age_days: number
  layer: Layer
  /** 0 to 1. */
  source_trust: number
  /** −1 to 1. */
  emotional_valence: number
  /** By a different source than the record's own. */
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

const layerBoost: Record<Layer, number> = {
  working: 0,
  episodic: 1 / 3,
  codebase: 1 / 2,
  procedural: 2 / 3,
  semantic: 1,
}
const neverFading: ReadonlySet<Layer> = new Set(['semantic', 'procedural', 'codebase'])
const halfLifeDays = 30
/** How much faster a memory of no trust fades than one of full trust, beyond once. */
const distrustPenalty = 2
const saturatingAccesses = 20
const saturatingConfirmations = 5
const oneMinuteInDays = 1 / 1_440
/** Accesses whose age is summed one by one; older ones are taken as evenly spread. */
const exactAccesses = 32

export function scoreImportance(inputs: ImportanceInputs): number {
  const factors = importanceFactors(inputs)
  let score = 0
  for (const [name, weight] of Object.entries(importanceWeights)) {
    score += weight * factors[name as ImportanceFactor]
  }
  return Math.min(1, Math.max(0, score))
}

export function importanceFactors(inputs: ImportanceInputs): ImportanceFactors {
  const accesses = inputs.access_ages_days.length
  return {
    base: inputs.base_importance,
    access: saturate(accesses, saturatingAccesses),
    recency: recency(inputs),
    valence: Math.abs(inputs.emotional_valence),
    stability: stability(inputs),
    layer: layerBoost[inputs.layer],
    trust: inputs.source_trust,
    confirmations: saturate(inputs.confirmations, saturatingConfirmations),
    activation: 1 / (1 + Math.exp(-(activation(inputs) + 1) / 1.5)),
  }
}

function saturate(count: number, full: number): number {
  return Math.min(1, Math.log1p(count) / Math.log1p(full))
}

function recency(inputs: ImportanceInputs): number {
  if (neverFading.has(inputs.layer)) return 1
  const sinceAccess = Math.min(inputs.age_days, ...inputs.access_ages_days)
  const effectiveHalfLife = halfLifeDays / (1 + distrustPenalty * (1 - inputs.source_trust))
  return 2 ** -Math.min(sinceAccess / effectiveHalfLife, 64)
}

/** Evenness over life: distinct days with an access, counted from creation, among those it could have had. */
function stability(inputs: ImportanceInputs): number {
  const accesses = inputs.access_ages_days.length
  if (accesses === 0) return 0
  const days = new Set(inputs.access_ages_days.map((age) => Math.floor(inputs.age_days - age)))
  return Math.min(1, days.size / Math.min(accesses, Math.floor(inputs.age_days) + 1))
}

/** ACT-R base-level activation with decay 0.5; creation counts as the first presentation. */
function activation(inputs: ImportanceInputs): number {
  const ages = [...inputs.access_ages_days, inputs.age_days]
    .map((age) => Math.max(age, oneMinuteInDays))
    .sort((left, right) => left - right)
  const recent = ages.slice(0, exactAccesses).reduce((sum, age) => sum + 1 / Math.sqrt(age), 0)
  return Math.log(recent + distantActivation(ages))
}

/** Petrov (2006): n − k presentations spread evenly between the k-th newest and the oldest. */
function distantActivation(ages: readonly number[]): number {
  const nearest = ages[exactAccesses - 1]
  const oldest = ages.at(-1)
  if (ages.length <= exactAccesses || nearest === undefined || oldest === undefined) return 0
  const count = ages.length - exactAccesses
  if (oldest === nearest) return count / Math.sqrt(nearest)
  return (2 * count * (Math.sqrt(oldest) - Math.sqrt(nearest))) / (oldest - nearest)
}
