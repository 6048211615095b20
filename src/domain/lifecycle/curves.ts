/**
 * Salience is a closed form of time: a pure function of the anchor. A sweep that runs late, or never, cannot make it
 * wrong.
 */

export type Curve = 'exponential' | 'linear' | 'custom' | 'huber' | 'elastic'

export type DecayState = {
  curve: Curve
  half_life_seconds: number
  min_salience: number
  base_salience: number
  anchored_at: Date
  /** The creation plus `max_age_seconds`; null when there is no maximum age. */
  expires_at: Date | null
  pinned: boolean
}

export type PrunableState = DecayState & { deletion_policy: 'auto_prune' | 'manual_only' | 'never' }

/**
 * The upper limit of a salience, its cap, its gain and a penalty. It keeps the sum over every record finite.
 */
export const maxSalience = 1_000

/** A record at or below this salience is pruned. */
const pruneThreshold = 0.001

/**
 * RFC 3339 ends with the year 9999, and PostgreSQL cannot read a later date that JavaScript writes. A later moment
 * counts as never.
 */
const lastMoment = Date.UTC(9_999, 11, 31)
/** PostgreSQL raises an error on float underflow where JavaScript rounds to 0. Both stop at this exponent. */
export const maxHalfLives = 64
/** The huber curve is exponential up to half a half-life, then it continues as the tangent. */
const huberKnee = 0.5
const huberKneeValue = 2 ** -huberKnee
const elasticLinearShare = 0.3
const elasticExponentialShare = 1 - elasticLinearShare

export function computeSalience(state: DecayState, now: Date): number {
  if (state.pinned) return state.base_salience
  if (state.expires_at && now >= state.expires_at) return 0
  const factor = computeFadingFactor(
    state.curve,
    countHalfLivesSince(state.anchored_at, now, state.half_life_seconds),
  )
  return Math.max(state.base_salience * factor, getFloor(state))
}

/** The floor limits how far a salience falls. It never raises a salience that started below it. */
function getFloor(state: Pick<DecayState, 'min_salience' | 'base_salience'>): number {
  return Math.min(state.min_salience, state.base_salience)
}

export function countHalfLivesSince(anchor: Date, now: Date, halfLifeSeconds: number): number {
  const elapsedSeconds = Math.max(0, now.getTime() - anchor.getTime()) / 1_000
  return Math.min(elapsedSeconds / halfLifeSeconds, maxHalfLives)
}

export function computeFadingFactor(curve: Curve, halfLives: number): number {
  switch (curve) {
    case 'linear':
      return Math.max(0, 1 - halfLives)
    case 'huber':
      if (halfLives <= huberKnee) return 2 ** -halfLives
      return Math.max(0, huberKneeValue * (1 - Math.LN2 * (halfLives - huberKnee)))
    case 'elastic':
      return elasticLinearShare * Math.max(0, 1 - halfLives / 2) + elasticExponentialShare * 2 ** -halfLives
    default:
      return 2 ** -halfLives
  }
}

/** The moment when the maximum age sets the salience to 0; null when there is none. */
export function computeExpiry(createdAt: Date, maxAgeSeconds: number): Date | null {
  return maxAgeSeconds === 0 ? null : new Date(createdAt.getTime() + maxAgeSeconds * 1_000)
}

/** The moment from which the record is due for pruning; null for never. */
export function computePruneAt(state: PrunableState): Date | null {
  if (state.pinned || state.deletion_policy !== 'auto_prune') return null
  const faded = computeFadedAt(state)
  if (!faded || !state.expires_at) return faded ?? state.expires_at
  return new Date(Math.min(faded.getTime(), state.expires_at.getTime()))
}

function computeFadedAt(state: PrunableState): Date | null {
  if (state.base_salience <= pruneThreshold) return state.anchored_at
  if (getFloor(state) >= pruneThreshold) return null
  const halfLives = countHalfLivesToReach(state.curve, pruneThreshold / state.base_salience)
  if (halfLives > maxHalfLives) return null
  // Rounded up to a millisecond, the resolution of stored timestamps: a record must not be pruned before its salience
  // reaches the threshold.
  const moment = state.anchored_at.getTime() + Math.ceil(halfLives * state.half_life_seconds * 1_000)
  return moment <= lastMoment ? new Date(moment) : null
}

/** The inverse of `computeFadingFactor`, for 0 < factor < 1. */
export function countHalfLivesToReach(curve: Curve, factor: number): number {
  switch (curve) {
    case 'linear':
      return 1 - factor
    case 'huber':
      if (factor >= huberKneeValue) return -Math.log2(factor)
      return huberKnee + (1 - factor / huberKneeValue) / Math.LN2
    case 'elastic':
      return countElasticHalfLivesTo(factor)
    default:
      return -Math.log2(factor)
  }
}

/**
 * After two half-lives only the exponential part is left. Before that the sum has no closed inverse, so the value is
 * found by bisection.
 */
function countElasticHalfLivesTo(factor: number): number {
  if (factor <= elasticExponentialShare / 4) return -Math.log2(factor / elasticExponentialShare)
  let low = 0
  let high = 2
  // 60 halvings of an interval of length 2 end below the resolution of a double.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (computeFadingFactor('elastic', middle) > factor) low = middle
    else high = middle
  }
  return high
}
