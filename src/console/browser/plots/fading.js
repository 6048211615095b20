/** @import { Policy } from '../api/types.d.ts' */

/** @typedef {Policy['decay']} Decay */

const huberKnee = 0.5
const huberKneeValue = 2 ** -huberKnee
const elasticLinearShare = 0.3

/** A record at or below this salience is pruned. */
export const pruneLine = 0.001

/**
 * The share of a salience that is left after a number of half-lives: the same curves as the service has.
 * @param {Decay['curve']} curve
 * @param {number} halfLives
 */
export function computeFadingFactor(curve, halfLives) {
  switch (curve) {
    case 'linear':
      return Math.max(0, 1 - halfLives)
    case 'huber':
      if (halfLives <= huberKnee) return 2 ** -halfLives
      return Math.max(0, huberKneeValue * (1 - Math.LN2 * (halfLives - huberKnee)))
    case 'elastic':
      return elasticLinearShare * Math.max(0, 1 - halfLives / 2) + (1 - elasticLinearShare) * 2 ** -halfLives
    default:
      return 2 ** -halfLives
  }
}

/**
 * The salience of a record that began at 1, some seconds later, if it is not used.
 * @param {Decay} decay
 * @param {number} seconds
 */
export function computeSalience({ curve, half_life_seconds, min_salience, max_age_seconds }, seconds) {
  if (max_age_seconds > 0 && seconds >= max_age_seconds) return 0
  return Math.max(Math.min(1, min_salience), computeFadingFactor(curve, seconds / half_life_seconds))
}

/** Beyond this, the service does not fade further. */
export const maxHalfLives = 64

/**
 * After how many seconds a record of salience 1 that is not used is forgotten; undefined for never.
 * @param {Pick<Policy, 'decay' | 'deletion_policy'>} policy
 */
export function findForgetting({ decay, deletion_policy }) {
  let high = maxHalfLives * decay.half_life_seconds
  if (decay.max_age_seconds > 0) high = Math.min(high, decay.max_age_seconds)
  if (deletion_policy !== 'auto_prune' || computeSalience(decay, high) > pruneLine) return undefined
  return findFall(high, (seconds) => computeSalience(decay, seconds) > pruneLine)
}

/**
 * Salience only falls. The first place at which it is no longer above the prune line, between 0, where it is, and `high`, where it is not.
 * @param {number} high
 * @param {(place: number) => boolean} isAbove
 */
export function findFall(high, isAbove) {
  let least = 0
  let most = high
  for (let step = 0; step < 80; step += 1) {
    const middle = (least + most) / 2
    if (isAbove(middle)) least = middle
    else most = middle
  }
  return most
}
