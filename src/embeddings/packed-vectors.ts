import type { Precision } from '../domain/vector-codes.ts'
import { formatUuid } from '../kernel/ids.ts'

export type EncodedVector = { id: string; bits: Precision; code: Buffer }

/** Of each vector its id, its precision and its length come before its code. */
const header = { id: 16, bits: 2, length: 4 }

/** Reads vectors that were sent as one value. */
export function unpackVectors(bytes: Buffer): EncodedVector[] {
  const vectors: EncodedVector[] = []
  for (let at = 0; at < bytes.length; ) {
    const id = formatUuid(bytes.subarray(at, at + header.id))
    // The table permits no other values.
    const bits = bytes.readInt16BE(at + header.id) as Precision
    const length = bytes.readInt32BE(at + header.id + header.bits)
    at += header.id + header.bits + header.length
    vectors.push({ id, bits, code: bytes.subarray(at, at + length) })
    at += length
  }
  return vectors
}
