import { distanceBetween, farthest, type Signatures } from './signature-distance.ts'

/** Of each the nearest that were found so far, by the distance of their signatures. */
export type Nearby = { counts: Uint8Array; places: Int32Array; distances: Uint16Array; worst: Uint16Array }

/** More of them would only tell a large group from a very large one. */
const kept = 24

export function createNearby(size: number): Nearby {
  return {
    counts: new Uint8Array(size),
    places: new Int32Array(size * kept),
    distances: new Uint16Array(size * kept),
    worst: new Uint16Array(size).fill(farthest + 1),
  }
}

/** Both learn of each other, where they are near enough. */
export function introduce(nearby: Nearby, one: number, other: number, distance: number): void {
  if (distance > farthest) return
  note(nearby, one, other, distance)
  note(nearby, other, one, distance)
}

function note(nearby: Nearby, one: number, other: number, distance: number): void {
  const { counts, places, distances, worst } = nearby
  if (distance >= (worst[one] ?? 0)) return
  const from = one * kept
  const count = counts[one] ?? 0
  let farthestAt = from
  for (let at = from; at < from + count; at++) {
    if (places[at] === other) return
    if ((distances[at] ?? 0) > (distances[farthestAt] ?? 0)) farthestAt = at
  }
  const at = count < kept ? from + count : farthestAt
  places[at] = other
  distances[at] = distance
  if (count < kept) counts[one] = count + 1
  if (counts[one] === kept) worst[one] = Math.max(...distances.subarray(from, from + kept))
}

function nearbyOf({ counts, places }: Nearby, one: number): Int32Array {
  return places.subarray(one * kept, one * kept + (counts[one] ?? 0))
}

/** Whom it knows, and whom these know, as far as they are near enough themselves; the nearest first. */
export function contendersOf(signatures: Signatures, nearby: Nearby, one: number, most: number): number[] {
  const met = new Set<number>(nearbyOf(nearby, one))
  for (const other of nearbyOf(nearby, one)) for (const far of nearbyOf(nearby, other)) met.add(far)
  met.delete(one)
  return [...met]
    .map((place) => ({ place, distance: distanceBetween(signatures, one, place) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((left, right) => left.distance - right.distance || left.place - right.place)
    .slice(0, most)
    .map(({ place }) => place)
}
