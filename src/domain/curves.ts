/** Salience as a closed form of time: a pure function of the anchor, so no sweep can make it wrong. */

export type Curve = 'exponential' | 'linear' | 'custom' | 'huber' | 'elastic'

export type DecayState = {
  curve: Curve
  half_life_seconds: number
  min_salience: number
  base_salience: number
  anchored_at: Date
  /** The instant of `max_age_seconds` after creation; null when there is none. */
  expires_at: Date | null
  pinned: boolean
}

export type PrunableState = DecayState & { deletion_policy: 'auto_prune' | 'manual_only' | 'never' }

/** The most that a salience, its cap, its gain or a penalty may be: a sum over every record stays finite. */
export const maxSalience = 1_000

/** At and below this a record has faded away. */
const pruneThreshold = 0.001

/** RFC 3339 has no year beyond 9999, and PostgreSQL reads none that JavaScript writes: later is never. */
const lastMoment = Date.UTC(9_999, 11, 31)
/** PostgreSQL raises on float underflow where JavaScript rounds to 0; both sides stop counting here. */
const maxHalfLives = 64
/** huber follows the exponential to half a half-life, then its tangent. */
const huberKnee = 0.5
const huberKneeValue = 2 ** -huberKnee
const elasticLinearShare = 0.3
const elasticExponentialShare = 1 - elasticLinearShare

export function salienceAt(life: DecayState, now: Date): number {
  if (life.pinned) return life.base_salience
  if (life.expires_at && now >= life.expires_at) return 0
  const factor = fadingFactor(life.curve, halfLivesSince(life.anchored_at, now, life.half_life_seconds))
  return Math.max(life.base_salience * factor, floorOf(life))
}

/** A floor keeps a salience up but never raises it. */
function floorOf(life: Pick<DecayState, 'min_salience' | 'base_salience'>): number {
  return Math.min(life.min_salience, life.base_salience)
}

export function halfLivesSince(anchor: Date, now: Date, halfLifeSeconds: number): number {
  const elapsedSeconds = Math.max(0, now.getTime() - anchor.getTime()) / 1_000
  return Math.min(elapsedSeconds / halfLifeSeconds, maxHalfLives)
}

export function fadingFactor(curve: Curve, halfLives: number): number {
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

/** When max_age zeroes the record; null when it never does. */
export function computeExpiry(createdAt: Date, maxAgeSeconds: number): Date | null {
  return maxAgeSeconds === 0 ? null : new Date(createdAt.getTime() + maxAgeSeconds * 1_000)
}

/** The instant from which the record is due for pruning; null when it never is. */
export function computePruneAt(life: PrunableState): Date | null {
  if (life.pinned || life.deletion_policy !== 'auto_prune') return null
  const faded = computeFadedAt(life)
  if (!faded || !life.expires_at) return faded ?? life.expires_at
  return new Date(Math.min(faded.getTime(), life.expires_at.getTime()))
}

function computeFadedAt(life: PrunableState): Date | null {
  if (floorOf(life) >= pruneThreshold) return null
  if (life.base_salience <= pruneThreshold) return life.anchored_at
  const halfLives = halfLivesToReach(life.curve, pruneThreshold / life.base_salience)
  if (halfLives > maxHalfLives) return null
  // Rounded up to the millisecond that timestamps keep: a moment early would be a moment too soon.
  const moment = life.anchored_at.getTime() + Math.ceil(halfLives * life.half_life_seconds * 1_000)
  return moment <= lastMoment ? new Date(moment) : null
}

/** The inverse of fadingFactor, for 0 < factor < 1. */
export function halfLivesToReach(curve: Curve, factor: number): number {
  switch (curve) {
    case 'linear':
      return 1 - factor
    case 'huber':
      if (factor >= huberKneeValue) return -Math.log2(factor)
      return huberKnee + (1 - factor / huberKneeValue) / Math.LN2
    case 'elastic':
      return elasticHalfLivesTo(factor)
    default:
      return -Math.log2(factor)
  }
}

/** Beyond two half-lives only the exponential part is left; before, the sum has no closed inverse. */
function elasticHalfLivesTo(factor: number): number {
  if (factor <= elasticExponentialShare / 4) return -Math.log2(factor / elasticExponentialShare)
  let low = 0
  let high = 2
  // 60 halvings of an interval of 2 end below the resolution of a double.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (fadingFactor('elastic', middle) > factor) low = middle
    else high = middle
  }
  return high
}
