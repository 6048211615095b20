import type { Precision } from '../domain/vector-codes.ts'
import { formatUuid } from '../kernel/ids.ts'
import type { EncodedVector } from './decoded-vectors.ts'

/** The version of a vector is a hash of its code. */
export type StoredVector = EncodedVector & { version: string }

/** A vector that was found: with its version, or with its code where the search asked for it. */
export type NearVector = { id: string } & Partial<StoredVector>

/** What was found as one value: the vectors, or a text with the id and the version of each; both null for none. */
export type PackedVectors = { vectors: Buffer | null; versions: string | null }

/** Of each vector its id, its precision and its length come before its code. */
const header = { id: 16, bits: 2, length: 4 }

export function unpackNear({ vectors, versions }: PackedVectors): NearVector[] {
  return vectors ? unpackVectors(vectors) : (versions?.split(',').map(readVersion) ?? [])
}

function readVersion(line: string): NearVector {
  const [id = '', version = ''] = line.split(' ')
  return { id, version }
}

function unpackVectors(bytes: Buffer): EncodedVector[] {
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
