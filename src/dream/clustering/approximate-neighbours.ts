import { addPair, type NeighbourLists } from './nearest-list.ts'
import { distanceBetween, hasBit, type Signatures } from './signature-distance.ts'

/**
 * Neighbours without comparing each with each. A tree divides all by one bit after the other until few are left
 * together, and only these are compared; those that are alike stay together in most trees. However the vectors lie, a
 * tree costs the same for each: where many are alike it is deeper, and no heap of them is compared as a whole.
 */

/** Compared with each other at the foot of a tree. */
const maxLeafSize = 48
/**
 * Two whose cosine is just 0.8 agree in four bits of five, so that a tree which divides ten times as many keeps half
 * as many such pairs together, and it takes twice the trees to find as many of them.
 */
const trees = { each: 4.5, exponent: 0.33, least: 12 }

const signatureBits = 1_024
/** Bits that are tried for a division, and those that are asked about each. */
const triedBits = 8
const sampledRecords = 32

export function countTrees(size: number): number {
  if (size <= maxLeafSize) return Math.min(1, size)
  return Math.max(trees.least, Math.ceil(trees.each * (size / maxLeafSize) ** trees.exponent))
}

/** So many take some ten milliseconds. */
const comparisonsPerTurn = 150_000

/** The same however often: the nth tree of these signatures. Stands still now and then, for others to go on. */
export function* growTree(signatures: Signatures, nearby: NeighbourLists, nth: number): Generator<void> {
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

/** The one that divides them most evenly; none where all are alike. */
function chooseBit(signatures: Signatures, among: Int32Array, random: () => number): number | undefined {
  const stride = Math.max(1, Math.floor(among.length / sampledRecords))
  let best: { bit: number; smaller: number } | undefined
  for (let attempt = 0; attempt < triedBits * 8 && (attempt < triedBits || !best); attempt++) {
    const bit = random() % signatureBits
    let [set, total] = [0, 0]
    for (let at = 0; at < among.length; at += stride) {
      total++
      if (hasBit(signatures, among[at] ?? 0, bit)) set++
    }
    const smaller = Math.min(set, total - set)
    if (smaller > (best?.smaller ?? 0)) best = { bit, smaller }
  }
  return best?.bit
}

/** Those that have the bit come first; answers how many they are. */
function partition(signatures: Signatures, among: Int32Array, bit: number): number {
  let [left, right] = [0, among.length - 1]
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

/** Of more than can be compared, which are alike in what they were asked, each with those behind it. */
function compareAll(signatures: Signatures, nearby: NeighbourLists, among: Int32Array): void {
  for (let one = 0; one < among.length; one++) {
    const end = Math.min(among.length, one + maxLeafSize)
    for (let other = one + 1; other < end; other++) {
      const [left, right] = [among[one] ?? 0, among[other] ?? 0]
      addPair(nearby, left, right, distanceBetween(signatures, left, right))
    }
  }
}

/** A sequence of its own for each tree, the same on every machine. */
function createRandom(nth: number): () => number {
  let state = Math.imul(nth + 1, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
