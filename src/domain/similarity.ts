/** How near two embeddings are to each other. */

export type Embedding = Float32Array

export type Embedded = { id: string; vector: Embedding }
export type Neighbour = { id: string; similarity: number }

/** Vectors of different models have nothing to say to each other: half a sum would be a silent wrong answer. */
export function dot(one: Embedding, other: Embedding): number {
  if (one.length !== other.length) {
    throw new RangeError(`A vector of ${one.length} dimensions cannot meet one of ${other.length}.`)
  }
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}

/** From −1 to 1; 0 when either has no direction. */
export function cosine(one: Embedding, other: Embedding): number {
  const product = dot(one, other)
  const lengths = Math.sqrt(dot(one, one) * dot(other, other))
  // Rounding can carry a vector's likeness to itself a hair past 1, where an arc cosine is NaN.
  return lengths === 0 ? 0 : Math.min(1, Math.max(-1, product / lengths))
}

/** The zero vector means nothing: nothing is like it, and it is not worth storing. */
export function hasDirection(vector: Embedding): boolean {
  return vector.some((value) => value !== 0)
}

/** To length 1; the zero vector stays as it is. */
export function normalise(vector: Embedding): Embedding {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? vector.slice() : vector.map((value) => value / length)
}

/** The k most like the query, compared exactly; ties go by id, so that a page never depends on the plan. */
export function findNearest(query: Embedding, candidates: Iterable<Embedded>, k: number): Neighbour[] {
  const compared: Neighbour[] = []
  for (const { id, vector } of candidates) compared.push({ id, similarity: cosine(query, vector) })
  return compared.sort(compareNearness).slice(0, k)
}

export function compareNearness(one: Neighbour, other: Neighbour): number {
  return other.similarity - one.similarity || (one.id < other.id ? -1 : Number(one.id > other.id))
}
