/** The number of bits in which two signatures differ, as `bit_count(a # b)` counts it. */
export function hammingDistance(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) throw new RangeError('Signatures differ in length.')
  let distance = 0
  for (let index = 0; index < one.length; index++) {
    distance += bitCounts[(one[index] ?? 0) ^ (other[index] ?? 0)] ?? 0
  }
  return distance
}

const bitCounts = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length)
