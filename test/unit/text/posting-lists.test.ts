import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../bench/load.ts'
import { createPostingLists, getCount, getPlace } from '../../../src/retrieval/text/memory/posting-lists.ts'

describe('posting lists', () => {
  it('hold every place with its count, however many lists grow at the same time', () => {
    const random = createRandom(1)
    const postings = createPostingLists()
    const expected = Array.from({ length: 50 }, () => new Map<number, number>())
    const lists = expected.map(() => postings.open())
    for (let place = 0; place < 30_000; place++) {
      for (const [at, list] of lists.entries()) {
        if (random() > 1 / (at + 1)) continue
        const count = 1 + Math.floor(random() * 300)
        postings.add(list, place, count)
        expected[at]?.set(place, Math.min(count, 255))
      }
    }
    for (const [at, list] of lists.entries()) {
      const found = new Map<number, number>()
      postings.read(list, (entries, from, to) => {
        for (const entry of entries.subarray(from, to)) found.set(getPlace(entry), getCount(entry))
      })
      expect(found).toEqual(expected[at])
      expect(postings.countEntries(list)).toBe(expected[at]?.size)
      const places = [0, 1, 77, 78, 12_345, 29_999, 40_000]
      const counts = places.map(() => 0)
      postings.countAmong(list, places, (index, count) => {
        counts[index] = count
      })
      expect(counts).toEqual(places.map((place) => expected[at]?.get(place) ?? 0))
    }
  })

  it('drop some places, and grow again', () => {
    const random = createRandom(4)
    const postings = createPostingLists()
    const list = postings.open()
    let expected: number[] = []
    for (let round = 0; round < 6; round++) {
      const added = Array.from({ length: 5_000 * random() }, (_, at) => 10_000 * round + at)
      for (const place of added) postings.add(list, place, 1)
      const dropped = new Set([...expected, ...added].filter(() => random() < round / 5))
      postings.drop(list, (place) => dropped.has(place))
      expected = [...expected, ...added].filter((place) => !dropped.has(place))
      const found: number[] = []
      postings.read(list, (entries, from, to) => {
        found.push(...Array.from(entries.subarray(from, to), getPlace))
      })
      expect(found).toEqual(expected)
    }
  })
})
