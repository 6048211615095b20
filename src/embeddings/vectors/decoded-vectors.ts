import { computeDot, type Embedding } from '../../domain/vectors/similarity.ts'
import { computeQuantisationStep, decode, type Precision } from '../../domain/vectors/vector-codes.ts'

export type EncodedVector = { id: string; bits: Precision; code: Buffer }

export type DecodedVector = {
  id: string
  bits: Precision
  vector: Embedding
  /** The quantisation step of the code; 0 at full precision. */
  step: number
  /** The squared length, because each vector is compared with many. */
  square: number
}

export function decodeVector({ id, bits, code }: EncodedVector, dimensions: number): DecodedVector {
  const vector = decode(code, dimensions, bits)
  return { id, bits, vector, step: computeQuantisationStep(code, bits), square: computeDot(vector, vector) }
}
