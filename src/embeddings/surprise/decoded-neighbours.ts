import {
  compareNearness,
  computeCosine,
  computeDot,
  type Embedding,
  type Neighbour,
} from '../../domain/vectors/similarity.ts'
import { decode, encode, type Precision } from '../../domain/vectors/vector-codes.ts'
import type { DecodedVector } from '../vectors/decoded-vectors.ts'

/**
 * Returns the most similar vectors, of any precision. Rounding makes a vector less similar to itself: at two
 * bits by a seventh. Each similarity is divided by that loss, so that equal content stays equal after rounding.
 */
export function findMostSimilar(
  query: Embedding,
  vectors: Iterable<DecodedVector>,
  most: number,
): Neighbour[] {
  const square = computeDot(query, query)
  const fidelities = new Map<Precision, number>([[32, 1]])
  const best: Neighbour[] = []
  for (const { id, bits, vector, square: other } of vectors) {
    const fidelity = fidelities.get(bits) ?? computeFidelity(query, bits)
    fidelities.set(bits, fidelity)
    const alike = computeDot(query, vector) / (Math.sqrt(square * other) || 1)
    insert(best, { id, similarity: Math.max(-1, Math.min(1, alike / fidelity)) }, most)
  }
  return best
}

function insert(best: Neighbour[], one: Neighbour, most: number): void {
  const last = best.at(-1)
  if (best.length === most && last && compareNearness(last, one) < 0) return
  best.push(one)
  best.sort(compareNearness)
  best.length = Math.min(best.length, most)
}

function computeFidelity(query: Embedding, bits: Precision): number {
  return computeCosine(query, decode(encode(query, bits), query.length, bits)) || 1
}
