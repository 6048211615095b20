import {
  compareNearness,
  cosine,
  dot,
  type Embedding,
  type Neighbour,
  normalise,
} from '../domain/similarity.ts'

/**
 * Comparing vectors of different precision. A rounded vector has lost some of its likeness to anything, so by
 * plain cosine the archive would never be found again; as a cloud around what was stored it competes fairly.
 */

export type RoundedVector = {
  vector: Embedding
  /** The quantisation step of its code; 0 at full precision. */
  step: number
}

/**
 * The variance of a coordinate at full precision: half the mean square coordinate of a unit vector. Much wider,
 * and rounding makes no difference any more; much narrower, and whatever is blurred looks near to everything.
 */
const fullPrecisionShare = 0.5
/** Of an error spread evenly over a step: its variance is a twelfth of the step squared. */
const evenSpread = 1 / 12

/** The Fisher–Rao distance of two clouds of independent Gaussian coordinates. */
export function frqadDistance(one: RoundedVector, other: RoundedVector): number {
  return distanceBetween(toGaussian(one), toGaussian(other))
}

/**
 * The k nearest by that distance, ties by id. Those of full precision share their places among themselves by
 * cosine: between equal clouds the distance weighs one large difference below several small ones.
 */
export function findNearestMixed(
  query: RoundedVector,
  candidates: Iterable<RoundedVector & { id: string }>,
  k: number,
): Neighbour[] {
  const asked = toGaussian(query)
  const compared = Array.from(candidates, (candidate) => ({
    id: candidate.id,
    similarity: cosine(query.vector, candidate.vector),
    distance: distanceBetween(asked, toGaussian(candidate)),
    isExact: candidate.step === 0,
  })).sort((one, other) => one.distance - other.distance || compareNearness(one, other))
  const exact = compared.filter(({ isExact }) => isExact).sort(compareNearness)
  let place = 0
  const ranked = compared.map((each) => (each.isExact ? (exact[place++] ?? each) : each))
  return ranked.slice(0, k).map(({ id, similarity }) => ({ id, similarity }))
}

type GaussianVector = { centre: Embedding; deviation: number }

/** Brought to length 1, for rounding to few bits makes a vector longer, and a longer one is farther from all. */
function toGaussian({ vector, step }: RoundedVector): GaussianVector {
  const relativeStep = step / (Math.sqrt(dot(vector, vector)) || 1)
  const variance = fullPrecisionShare / vector.length + relativeStep ** 2 * evenSpread
  return { centre: normalise(vector), deviation: Math.sqrt(variance) }
}

/** d² = Σ (√2 arcosh(1 + x))² with x = ((μ₁ − μ₂)²/2 + (σ₁ − σ₂)²) / 2σ₁σ₂. */
function distanceBetween(one: GaussianVector, other: GaussianVector): number {
  if (one.centre.length !== other.centre.length) throw new RangeError('Vectors differ in dimensions.')
  const blur = (one.deviation - other.deviation) ** 2
  const scale = 2 * one.deviation * other.deviation
  let sum = 0
  for (let index = 0; index < one.centre.length; index++) {
    const apart = (one.centre[index] ?? 0) - (other.centre[index] ?? 0)
    sum += 2 * inverseCosh1p((apart ** 2 / 2 + blur) / scale) ** 2
  }
  return Math.sqrt(sum)
}

/** arcosh(1 + x), without the digits that adding 1 to a small x would lose. */
function inverseCosh1p(x: number): number {
  return 2 * Math.asinh(Math.sqrt(x / 2))
}
