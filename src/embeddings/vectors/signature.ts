/**
 * The signature of a vector: 1,024 bits whose Hamming distance estimates the angle between two vectors, so that plain
 * PostgreSQL can search with `bit_count(a # b)`. A change in this file makes every stored signature useless.
 */

const signatureBits = 1_024
const largestDimensions = 4_096

/**
 * After one round a bit depends on whole groups of coordinates with one sign, so a short or sparse vector gives few
 * different bits. After three rounds every bit is as good as the sign of a random Gaussian projection.
 */
const rounds = 3
const seed = 0x6d656d62
const flips = drawSigns(rounds * largestDimensions)

/** Computes the signature. Bit 0 is the highest bit of the first byte, as PostgreSQL sends a `bit(1024)`. */
export function computeSignature(vector: ArrayLike<number>): Buffer {
  const rotated = rotate(vector)
  const signature = Buffer.alloc(signatureBits / 8)
  for (let bit = 0; bit < signatureBits; bit++) {
    if ((rotated[bit] ?? 0) <= 0) continue
    signature[bit >> 3] = (signature[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  }
  return signature
}

/** Formats a signature as PostgreSQL reads and writes a `bit(1024)`: 0101… */
export function formatSignature(signature: Uint8Array): string {
  return Array.from(signature, (byte) => byte.toString(2).padStart(8, '0')).join('')
}

/**
 * Rotates the vector to at least the width of the signature. A short vector is padded with zeros and spread over all
 * 1,024 outputs, which costs a few short transforms and keeps the bits independent. A longer vector keeps its first
 * 1,024 outputs: after the rotation all outputs are equally good.
 */
function rotate(vector: ArrayLike<number>): Float64Array {
  if (vector.length === 0 || vector.length > largestDimensions) {
    throw new RangeError(`A vector has 1 to ${largestDimensions} dimensions, not ${vector.length}.`)
  }
  let width = signatureBits
  while (width < vector.length) width *= 2
  const values = new Float64Array(width)
  values.set(vector)
  for (let round = 0; round < rounds; round++) {
    const offset = round * largestDimensions
    for (let index = 0; index < width; index++) {
      values[index] = (values[index] ?? 0) * (flips[offset + index] ?? 1)
    }
    transform(values)
  }
  return values
}

/** The fast Walsh–Hadamard transform. It is not scaled, because only signs are kept. */
function transform(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let index = start; index < start + half; index++) {
        const left = values[index] ?? 0
        const right = values[index + half] ?? 0
        values[index] = left + right
        values[index + half] = left - right
      }
    }
  }
}

/** A fixed sequence of ±1 from a 32-bit xorshift, the same on every machine. */
function drawSigns(count: number): Float64Array {
  let state = seed
  return Float64Array.from({ length: count }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state < 0 ? -1 : 1
  })
}
