import { computeDot, type Embedding } from '../../domain/vectors/similarity.ts'
import { numbersAtOnce } from './dot-products.ts'

/** Vectors as one byte for each number. Of 320 numbers the cosine is then wrong by less than a thousandth. */
export type ByteVector = {
  /** From −127 to 127, filled up with zeros. */
  numbers: Int8Array
  /** One divided by the length of the vector of bytes. */
  factor: number
}

const largestByte = 127

export function countBytes(dimensions: number): number {
  return numbersAtOnce * Math.ceil(dimensions / numbersAtOnce)
}

/** Rounds a vector that is not zero. */
export function toBytes(vector: Embedding): ByteVector {
  let largest = 0
  for (let index = 0; index < vector.length; index++) {
    largest = Math.max(largest, Math.abs(vector[index] as number))
  }
  const scale = largestByte / largest
  const numbers = new Int8Array(countBytes(vector.length))
  let square = 0
  for (let index = 0; index < vector.length; index++) {
    const rounded = Math.round((vector[index] as number) * scale)
    numbers[index] = rounded
    square += rounded * rounded
  }
  return { numbers, factor: 1 / Math.sqrt(square) }
}

/** Returns the vector with length 1. */
export function decodeBytes({ numbers, factor }: ByteVector, dimensions: number): Embedding {
  return Float32Array.from({ length: dimensions }, (_, index) => (numbers[index] ?? 0) * factor)
}

/** The least cosine of a stored vector and the one before it was stored with fewer bits that is assumed. */
const minKept = 0.25

/**
 * Estimates the cosine of a vector that was stored with fewer bits and the vector before: rounding with a step adds noise, which
 * makes a vector longer and less similar to everything.
 */
export function estimateKept(vector: Embedding, step: number): number {
  const noise = (vector.length * step ** 2) / 12 / computeDot(vector, vector)
  return Math.sqrt(Math.max(minKept ** 2, 1 - noise))
}
