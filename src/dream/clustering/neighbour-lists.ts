import type { SignatureMatrix } from '../../embeddings/index.ts'
import { computeDistance, maxDistance } from './signature-distance.ts'

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
  signatures: SignatureMatrix,
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
