import type { SignatureMatrix } from '../../embeddings/index.ts'
import { addPair, type NeighbourLists } from './neighbour-lists.ts'
import { computeDistance, hasBit } from './signature-distance.ts'

/**
 * Finds neighbours without comparing every pair. Each tree splits the records by one bit at a time until a leaf holds
 * few of them. Only records of one leaf are compared; similar records share a leaf in most trees. The cost per record
 * is bounded: many equal records make the tree deeper, and a large leaf is compared only in parts.
 */

/** Records of a leaf that are compared with each other. */
const maxLeafSize = 48
/**
 * Two vectors with a cosine of 0.8 agree in four of five bits. A tree over ten times as many records keeps half as
 * many such pairs together, so it takes twice as many trees to find them.
 */
const trees = { each: 4.5, exponent: 0.33, least: 12 }

const signatureBits = 1_024
/** Bits tried for a split, and the records sampled for each bit. */
const triedBits = 8
const sampledRecords = 32

export function countTrees(size: number): number {
  if (size <= maxLeafSize) return Math.min(1, size)
  return Math.max(trees.least, Math.ceil(trees.each * (size / maxLeafSize) ** trees.exponent))
}

/** Takes about ten milliseconds. */
const comparisonsPerTurn = 150_000

/**
 * Builds the nth tree and adds the pairs it finds. The same signatures give the same tree. Yields regularly so that
 * other work can run.
 */
export function* growTree(signatures: SignatureMatrix, nearby: NeighbourLists, nth: number): Generator<void> {
  const order = Int32Array.from({ length: signatures.size }, (_, place) => place)
  const random = createRandom(nth)
  const ranges: [number, number][] = [[0, order.length]]
  let compared = 0
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const [from, to] = range
    const bit = to - from <= maxLeafSize ? undefined : chooseBit(signatures, order.subarray(from, to), random)
    if (bit === undefined) {
      compareAll(signatures, nearby, order.subarray(from, to))
      compared += ((to - from) * Math.min(to - from, maxLeafSize)) / 2
      if (compared < comparisonsPerTurn) continue
      compared = 0
      yield
      continue
    }
    const middle = from + partition(signatures, order.subarray(from, to), bit)
    ranges.push([from, middle], [middle, to])
  }
}

/** Returns the bit that splits the records most evenly. Undefined if all are equal. */
function chooseBit(signatures: SignatureMatrix, among: Int32Array, random: () => number): number | undefined {
  const stride = Math.max(1, Math.floor(among.length / sampledRecords))
  let best: { bit: number; smaller: number } | undefined
  for (let attempt = 0; attempt < triedBits * 8 && (attempt < triedBits || !best); attempt++) {
    const bit = random() % signatureBits
    let set = 0
    let total = 0
    for (let at = 0; at < among.length; at += stride) {
      total++
      if (hasBit(signatures, among[at] ?? 0, bit)) set++
    }
    const smaller = Math.min(set, total - set)
    if (smaller > (best?.smaller ?? 0)) best = { bit, smaller }
  }
  return best?.bit
}

/** Moves the records with the bit to the front and returns their number. */
function partition(signatures: SignatureMatrix, among: Int32Array, bit: number): number {
  let left = 0
  let right = among.length - 1
  while (left <= right) {
    const place = among[left] ?? 0
    if (hasBit(signatures, place, bit)) {
      left++
      continue
    }
    among[left] = among[right] ?? 0
    among[right--] = place
  }
  return left
}

/**
 * In a leaf that is too large, whose records are equal in the sampled bits, compares each record only with the next
 * ones.
 */
function compareAll(signatures: SignatureMatrix, nearby: NeighbourLists, among: Int32Array): void {
  for (let one = 0; one < among.length; one++) {
    const end = Math.min(among.length, one + maxLeafSize)
    for (let other = one + 1; other < end; other++) {
      const left = among[one] ?? 0
      const right = among[other] ?? 0
      addPair(nearby, left, right, computeDistance(signatures, left, right))
    }
  }
}

/** Returns a generator of numbers that depend only on the tree, so that every machine builds the same tree. */
function createRandom(nth: number): () => number {
  let state = Math.imul(nth + 1, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
