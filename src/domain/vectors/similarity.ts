import { compareTexts } from '../../kernel/text-order.ts'

/** Similarity of embeddings. */

export type Embedding = Float32Array

/** `square` is the squared length, where it is known. */
export type Embedded = { id: string; vector: Embedding; square?: number }
export type Neighbour = { id: string; similarity: number }

/**
 * Rejects vectors of different lengths: they come from different models, and half a sum would be a silent wrong
 * answer.
 */
export function computeDot(one: Embedding, other: Embedding): number {
  requireSameLength(one, other)
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}

function requireSameLength(one: Embedding, other: Embedding): void {
  if (one.length !== other.length) {
    throw new RangeError(`A vector of ${one.length} dimensions cannot meet one of ${other.length}.`)
  }
}

/** The cosine of two vectors, −1 to 1; 0 when one of them is the zero vector. */
export function computeCosine(one: Embedding, other: Embedding): number {
  return createCosineWith(one)(other)
}

/** The cosine with one vector, for many others. */
function createCosineWith(one: Embedding): (other: Embedding, otherSquare?: number) => number {
  const square = computeDot(one, one)
  return (other, otherSquare = computeDot(other, other)) => {
    const lengths = Math.sqrt(square * otherSquare)
    // Rounding can push the similarity of a vector to itself slightly above 1, where an arc cosine is NaN.
    return lengths === 0 ? 0 : Math.min(1, Math.max(-1, computeDot(one, other) / lengths))
  }
}

/** False for the zero vector, which is similar to nothing and not worth storing. */
export function hasDirection(vector: Embedding): boolean {
  return vector.some((value) => value !== 0)
}

/** Scales a vector to length 1. The zero vector stays. */
export function normalise(vector: Embedding): Embedding {
  const length = Math.sqrt(computeDot(vector, vector))
  return length === 0 ? vector.slice() : vector.map((value) => value / length)
}

/**
 * The candidates most similar to the query, compared exactly. Ties are ordered by id, so that a page never depends
 * on the query plan.
 */
export function findNearest(query: Embedding, candidates: Iterable<Embedded>, most: number): Neighbour[] {
  const similarityOf = createCosineWith(query)
  const compared: Neighbour[] = []
  for (const { id, vector, square } of candidates)
    compared.push({ id, similarity: similarityOf(vector, square) })
  return compared.sort(compareNearness).slice(0, most)
}

export function compareNearness(one: Neighbour, other: Neighbour): number {
  return other.similarity - one.similarity || compareTexts(one.id, other.id)
}
