import { decode, encode, type Precision } from '../codes.ts'
import { byNearness, cosine, type Embedding, type Neighbour } from '../similarity.ts'

export type Coded = { id: string; bits: Precision; code: Uint8Array }

/**
 * The likest of some, at whatever precision they are kept. Rounding makes a vector less like itself, of two bits by a
 * seventh; told by that measure of its own loss, what says the very same is as like as it was before it was rounded.
 */
export function likest(
  vector: Embedding,
  kept: readonly Coded[],
  dimensions: number,
  most: number,
): Neighbour[] {
  const fidelities = new Map<Precision, number>()
  const fidelityAt = (bits: Precision) => {
    const known = fidelities.get(bits) ?? fidelityOf(vector, bits)
    fidelities.set(bits, known)
    return known
  }
  return kept
    .map(({ id, bits, code }) => {
      const alike = cosine(vector, decode(code, dimensions, bits))
      return { id, similarity: Math.max(-1, Math.min(1, alike / fidelityAt(bits))) }
    })
    .sort(byNearness)
    .slice(0, most)
}

function fidelityOf(vector: Embedding, bits: Precision): number {
  if (bits === 32) return 1
  return cosine(vector, decode(encode(vector, bits), vector.length, bits)) || 1
}
