import { countBits } from '../../domain/vectors/bit-count.ts'
import { formatUuid } from '../../kernel/ids.ts'

/**
 * The signatures of a whole scope in memory, so that many vectors can be compared with all of them after one read.
 */

export type SignatureMatrix = { size: number; ids: Buffer; words: Uint32Array }

const idBytes = 16
/** PostgreSQL sends the number of bits before the bits. */
const lengthBytes = 4
const signatureBytes = 128
const wordsPerSignature = signatureBytes / 4
const stride = idBytes + lengthBytes + signatureBytes
const farthest = signatureBytes * 8

/** Unpacks the result of `readSignatures`. */
export function unpackSignatures(packed: Buffer): SignatureMatrix {
  const size = packed.length / stride
  const ids = Buffer.alloc(size * idBytes)
  const words = new Uint32Array(size * wordsPerSignature)
  const bytes = Buffer.from(words.buffer)
  for (let at = 0; at < size; at++) {
    const from = at * stride
    packed.copy(ids, at * idBytes, from, from + idBytes)
    packed.copy(bytes, at * signatureBytes, from + idBytes + lengthBytes, from + stride)
  }
  return { size, ids, words }
}

/** Returns the ids of the nearest signatures, unordered. */
export function findNearestIds(matrix: SignatureMatrix, signature: Uint8Array, most: number): string[] {
  if (matrix.size <= most) return Array.from({ length: matrix.size }, (_, at) => readId(matrix, at))
  const distances = computeDistances(matrix, signature)
  const { reach, room } = cutAfter(distances, most)
  const found: string[] = []
  let atTheEdge = 0
  for (let at = 0; at < matrix.size; at++) {
    const distance = distances[at] ?? farthest
    if (distance > reach || (distance === reach && ++atTheEdge > room)) continue
    found.push(readId(matrix, at))
  }
  return found
}

function computeDistances({ size, words }: SignatureMatrix, signature: Uint8Array): Uint16Array {
  const target = new Uint32Array(wordsPerSignature)
  Buffer.from(target.buffer).set(signature)
  const distances = new Uint16Array(size)
  for (let at = 0; at < size; at++) {
    let distance = 0
    const from = at * wordsPerSignature
    for (let word = 0; word < wordsPerSignature; word++) {
      distance += countBits((words[from + word] ?? 0) ^ (target[word] ?? 0))
    }
    distances[at] = distance
  }
  return distances
}

/**
 * Returns the distance that the nearest `most` signatures reach, and how many at exactly that distance are included.
 */
function cutAfter(distances: Uint16Array, most: number): { reach: number; room: number } {
  const counts = new Uint32Array(farthest + 1)
  for (const distance of distances) counts[distance] = (counts[distance] ?? 0) + 1
  let within = 0
  for (let reach = 0; reach <= farthest; reach++) {
    const here = counts[reach] ?? 0
    if (within + here >= most) return { reach, room: most - within }
    within += here
  }
  return { reach: farthest, room: most }
}

export function readId({ ids }: SignatureMatrix, at: number): string {
  return formatUuid(ids.subarray(at * idBytes, (at + 1) * idBytes))
}
