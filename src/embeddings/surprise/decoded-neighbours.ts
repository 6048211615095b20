import { compareNearness, cosine, dot, type Embedding, type Neighbour } from '../../domain/similarity.ts'
import { decode, encode, type Precision } from '../../domain/vector-codes.ts'

export type EncodedVector = { id: string; bits: Precision; code: Uint8Array }

/** With the square of its length, for each is compared with many. */
export type DecodedVector = { id: string; bits: Precision; vector: Embedding; square: number }

export function decodeVector({ id, bits, code }: EncodedVector, dimensions: number): DecodedVector {
  const vector = decode(code, dimensions, bits)
  return { id, bits, vector, square: dot(vector, vector) }
}

/**
 * The likest of some, at whatever precision they are kept. Rounding makes a vector less like itself, of two bits by a
 * seventh; told by that measure of its own loss, what says the very same is as like as it was before it was rounded.
 */
export function findMostSimilar(sought: Embedding, kept: Iterable<DecodedVector>, most: number): Neighbour[] {
  const square = dot(sought, sought)
  const fidelities = new Map<Precision, number>([[32, 1]])
  const best: Neighbour[] = []
  for (const { id, bits, vector, square: other } of kept) {
    const fidelity = fidelities.get(bits) ?? fidelityOf(sought, bits)
    fidelities.set(bits, fidelity)
    const alike = dot(sought, vector) / (Math.sqrt(square * other) || 1)
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

function fidelityOf(sought: Embedding, bits: Precision): number {
  return cosine(sought, decode(encode(sought, bits), sought.length, bits)) || 1
}
