import { countBits } from '../../domain/vectors/bit-count.ts'

/** For each record, the nearest neighbours found so far, by the distance of their signatures. */
export type NeighbourLists = {
  counts: Uint8Array
  places: Int32Array
  distances: Uint16Array
  worst: Uint16Array
}

/** More neighbours would only distinguish a large group from a very large one. */
const maxNeighbours = 24

export function createNeighbourLists(size: number): NeighbourLists {
  return {
    counts: new Uint8Array(size),
    places: new Int32Array(size * maxNeighbours),
    distances: new Uint16Array(size * maxNeighbours),
    worst: new Uint16Array(size).fill(maxDistance + 1),
  }
}

/** Adds each record to the list of the other, if they are near enough. */
export function addPair(lists: NeighbourLists, one: number, other: number, distance: number): void {
  if (distance > maxDistance) return
  addNeighbour(lists, one, other, distance)
  addNeighbour(lists, other, one, distance)
}

function addNeighbour(lists: NeighbourLists, one: number, other: number, distance: number): void {
  const { counts, places, distances, worst } = lists
  if (distance >= (worst[one] ?? 0)) return
  const from = one * maxNeighbours
  const count = counts[one] ?? 0
  let farthestAt = from
  for (let at = from; at < from + count; at++) {
    if (places[at] === other) return
    if ((distances[at] ?? 0) > (distances[farthestAt] ?? 0)) farthestAt = at
  }
  const at = count < maxNeighbours ? from + count : farthestAt
  places[at] = other
  distances[at] = distance
  if (count < maxNeighbours) counts[one] = count + 1
  if (counts[one] === maxNeighbours) worst[one] = Math.max(...distances.subarray(from, from + maxNeighbours))
}

function getNeighbours({ counts, places }: NeighbourLists, one: number): Int32Array {
  return places.subarray(one * maxNeighbours, one * maxNeighbours + (counts[one] ?? 0))
}

/** Returns the neighbours of a record and their neighbours, if near enough, the nearest first. */
export function findCandidates(
  signatures: Signatures,
  lists: NeighbourLists,
  one: number,
  most: number,
): number[] {
  const found = new Set<number>(getNeighbours(lists, one))
  for (const other of getNeighbours(lists, one))
    for (const indirect of getNeighbours(lists, other)) found.add(indirect)
  found.delete(one)
  return [...found]
    .map((place) => ({ place, distance: computeDistance(signatures, one, place) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((left, right) => left.distance - right.distance || left.place - right.place)
    .slice(0, most)
    .map(({ place }) => place)
}

/** The signatures of one partition in memory. */
export type Signatures = { size: number; words: Uint32Array }

const wordsPerSignature = 32

/**
 * Vectors with a cosine of 0.8 differ in a fifth of the 1,024 bits, with a standard deviation of 13. Four deviations
 * more miss one such pair in 30,000.
 */
export const maxDistance = 262

/**
 * The number of different bits that a pair at the limit has after a quarter and after half of the words, plus five
 * standard deviations.
 */
const quarter = { words: 8, most: 85 }
const half = { words: 16, most: 150 }

/** Returns how many bits differ. Beyond the maximum it returns only that the distance is larger. */
export function computeDistance({ words }: Signatures, one: number, other: number): number {
  const left = one * wordsPerSignature
  const right = other * wordsPerSignature
  let distance = countDifferent(words, left, right, 0, quarter.words)
  if (distance > quarter.most) return maxDistance + 1
  distance += countDifferent(words, left, right, quarter.words, half.words)
  if (distance > half.most) return maxDistance + 1
  return distance + countDifferent(words, left, right, half.words, wordsPerSignature)
}

export function hasBit({ words }: Signatures, place: number, bit: number): boolean {
  return (((words[place * wordsPerSignature + (bit >> 5)] ?? 0) >>> (bit & 31)) & 1) === 1
}

function countDifferent(words: Uint32Array, left: number, right: number, from: number, to: number): number {
  let count = 0
  for (let word = from; word < to; word++) {
    count += countBits((words[left + word] ?? 0) ^ (words[right + word] ?? 0))
  }
  return count
}
