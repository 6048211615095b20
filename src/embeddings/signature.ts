/**
 * The sign signature: 1,024 bits whose Hamming distance tells the angle between two vectors, so that plain
 * PostgreSQL can search by `bit_count(a # b)`. Changing anything here makes every stored signature meaningless.
 */

const signatureBits = 1_024
const largestDimensions = 4_096

/**
 * After one round a bit sees whole groups of coordinates with one sign, and a short or sparse vector yields few
 * different bits; after three every bit is as good as the sign of a random Gaussian projection.
 */
const rounds = 3
const seed = 0x6d656d62
const flips = drawSigns(rounds * largestDimensions)

/** Bit 0 is the highest of the first byte, as PostgreSQL sends a `bit(1024)`. */
export function computeSignature(vector: ArrayLike<number>): Buffer {
  const rotated = rotate(vector)
  const signature = Buffer.alloc(signatureBits / 8)
  for (let bit = 0; bit < signatureBits; bit++) {
    if ((rotated[bit] ?? 0) <= 0) continue
    signature[bit >> 3] = (signature[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  }
  return signature
}

/** The way PostgreSQL reads and writes a `bit(1024)`: 0101… */
export function formatSignature(signature: Uint8Array): string {
  return Array.from(signature, (byte) => byte.toString(2).padStart(8, '0')).join('')
}

export function hammingDistance(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) throw new RangeError('Signatures differ in length.')
  let distance = 0
  for (let index = 0; index < one.length; index++) {
    distance += bitCounts[(one[index] ?? 0) ^ (other[index] ?? 0)] ?? 0
  }
  return distance
}

const bitCounts = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length)

/**
 * Never narrower than the signature: a vector of few dimensions, padded with zeros, is spread over all 1,024
 * outputs at the cost of a few short transforms, and its bits stay independent. Of a wider one the first 1,024
 * outputs are taken, for the rotation has made all alike.
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

/** The fast Walsh–Hadamard transform, without its scale: only signs are kept. */
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

/** A fixed sequence of ±1 from a 32-bit xorshift, the same on every machine for all time. */
function drawSigns(count: number): Float64Array {
  let state = seed
  return Float64Array.from({ length: count }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state < 0 ? -1 : 1
  })
}
