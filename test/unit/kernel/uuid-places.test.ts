import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createRandom } from '../../../bench/load.ts'
import { createUuidPlaces } from '../../../src/kernel/collections/uuid-places.ts'

it('finds each UUID that has a place, and no other', () => {
  const random = createRandom(7)
  const places = createUuidPlaces()
  const expected = new Map<string, number>()
  // UUIDs that differ in one part only, and some that are known again after they were removed.
  const alike = Array.from(
    { length: 300 },
    (_, at) => `00000000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`,
  )
  const early = Array.from(
    { length: 300 },
    (_, at) => `${at.toString(16).padStart(8, 'f')}-0000-7000-8000-000000000001`,
  )
  const known = [...alike, ...early, ...Array.from({ length: 1_400 }, () => randomUUID())]
  for (let step = 0; step < 8_000; step++) {
    const id = known[Math.floor(known.length * random())] ?? ''
    const isPlaced = expected.has(id)
    expect(places.findPlace(id)).toBe(expected.get(id))
    if (isPlaced || random() < 0.3) {
      places.remove(id)
      expected.delete(id)
    } else {
      const place = places.push(id)
      expect(place).toBe(places.length - 1)
      expect(places.getId(place)).toBe(id)
      expected.set(id, place)
    }
  }
  for (const id of known) expect(places.findPlace(id)).toBe(expected.get(id))
  for (const [id, place] of expected) expect(places.getId(place)).toBe(id)
})
