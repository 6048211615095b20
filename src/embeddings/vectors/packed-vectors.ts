import type { Precision } from '../../domain/vectors/vector-codes.ts'
import { formatUuid } from '../../kernel/ids.ts'
import type { EncodedVector } from './decoded-vectors.ts'

/** Vectors as one value; null for none. */
export type PackedVectors = { vectors: Buffer | null }

/** The bytes before the code of each vector: its id, its precision and its length. */
const header = { id: 16, bits: 2, length: 4 }

export function unpackVectors(bytes: Buffer | null | undefined): EncodedVector[] {
  const vectors: EncodedVector[] = []
  for (let at = 0; bytes && at < bytes.length; ) {
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
