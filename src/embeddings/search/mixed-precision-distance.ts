import {
  compareNearness,
  computeCosine,
  computeDot,
  type Embedding,
  type Neighbour,
  normalise,
} from '../../domain/vectors/similarity.ts'

/**
 * Compares vectors of different precision. Rounding makes a vector less similar to everything, so by cosine alone
 * compressed records would never be found. Here a rounded vector is a Gaussian around its stored value, which makes
 * the comparison fair.
 */

export type RoundedVector = {
  vector: Embedding
  /** The quantisation step of the code; 0 at full precision. */
  step: number
}

/**
 * The variance of a coordinate at full precision, as a share of the mean square coordinate of a unit vector. With a
 * much larger share rounding makes no difference; with a much smaller one rounded vectors look near to everything.
 */
const fullPrecisionShare = 0.5
/** The variance of a rounding error that is even over a step is a twelfth of the squared step. */
const evenSpread = 1 / 12

/**
 * The Fisher–Rao distance of two vectors as independent Gaussians:
 * d² = Σ (√2 arcosh(1 + x))² with x = ((μ₁ − μ₂)²/2 + (σ₁ − σ₂)²) / 2σ₁σ₂.
 */
export function computeFrqadDistance(first: RoundedVector, second: RoundedVector): number {
  const one = toGaussian(first)
  const other = toGaussian(second)
  if (one.centre.length !== other.centre.length)
    throw new RangeError('The vectors have different dimensions.')
  const blur = (one.deviation - other.deviation) ** 2
  const scale = 2 * one.deviation * other.deviation
  let sum = 0
  for (let index = 0; index < one.centre.length; index++) {
    const apart = (one.centre[index] ?? 0) - (other.centre[index] ?? 0)
    sum += 2 * computeInverseCosh1p((apart ** 2 / 2 + blur) / scale) ** 2
  }
  return Math.sqrt(sum)
}

/**
 * Returns the nearest by that distance, ties by id. Vectors of full precision are ordered among themselves by
 * cosine: between equal Gaussians the distance ranks one large difference below several small ones.
 */
export function findNearestMixed(
  query: RoundedVector,
  candidates: Iterable<RoundedVector & { id: string }>,
  most: number,
): Neighbour[] {
  const compared = Array.from(candidates, (candidate) => ({
    id: candidate.id,
    similarity: computeCosine(query.vector, candidate.vector),
    distance: computeFrqadDistance(query, candidate),
    isExact: candidate.step === 0,
  })).sort((one, other) => one.distance - other.distance || compareNearness(one, other))
  const exact = compared.filter(({ isExact }) => isExact).sort(compareNearness)
  let place = 0
  const ranked = compared.map((each) => (each.isExact ? (exact[place++] ?? each) : each))
  return ranked.slice(0, most).map(({ id, similarity }) => ({ id, similarity }))
}

type GaussianVector = { centre: Embedding; deviation: number }

/**
 * Scaled to length 1, because rounding to few bits makes a vector longer, and a longer vector is farther from
 * everything.
 */
function toGaussian({ vector, step }: RoundedVector): GaussianVector {
  const relativeStep = step / (Math.sqrt(computeDot(vector, vector)) || 1)
  const variance = fullPrecisionShare / vector.length + relativeStep ** 2 * evenSpread
  return { centre: normalise(vector), deviation: Math.sqrt(variance) }
}

/** arcosh(1 + x), without the loss of digits from adding 1 to a small x. */
function computeInverseCosh1p(x: number): number {
  return 2 * Math.asinh(Math.sqrt(x / 2))
}
