import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cosine } from '../../src/domain/similarity.ts'
import {
  createOutline,
  findSimilar,
  similarityRange,
  sortPairs,
} from '../../src/dream/synthesis/entity-pairs.ts'

const vector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
  .map((values) => Float32Array.from(values))
const said = fc.array(
  fc.record({
    vector,
    tags: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'consolidated'), { maxLength: 2 }),
  }),
  { maxLength: 4 },
)
const entities = fc
  .array(said, { maxLength: 12 })
  .map((all) => all.flatMap((each, n) => createOutline(`e${String(n).padStart(2, '0')}`, each) ?? []))

it('every pair that is alike and shares no context is found once, and no other', () => {
  fc.assert(
    fc.property(entities, (all) => {
      const found = all.flatMap((one, index) => findSimilar(one, all.slice(index + 1)))
      const expected = all.flatMap((one) =>
        all
          .filter((other) => {
            const likeness = cosine(one.centroid, other.centroid)
            const isAlike = likeness >= similarityRange.least && likeness <= similarityRange.most
            return one.id < other.id && isAlike && [...one.tags].every((tag) => !other.tags.has(tag))
          })
          .map((other) => `${one.id} ${other.id}`),
      )
      expect(found.map(({ one, other }) => `${one} ${other}`).sort()).toEqual(expected.sort())
    }),
  )
})

it('the order is the same however the pairs come', () => {
  fc.assert(
    fc.property(entities, fc.infiniteStream(fc.nat()), (all, keys) => {
      const found = all.flatMap((one, index) => findSimilar(one, all.slice(index + 1)))
      const shuffled = found
        .map((pair) => ({ pair, key: Number(keys.next().value) }))
        .sort((left, right) => left.key - right.key)
        .map(({ pair }) => pair)
      expect(sortPairs(shuffled)).toEqual(sortPairs(found))
    }),
  )
})

it('a centroid is that of directions, not of lengths', () => {
  const said = [Float32Array.from([100, 0]), Float32Array.from([0, 1])].map((each) => ({
    vector: each,
    tags: [],
  }))
  const { centroid = new Float32Array() } = createOutline('e', said) ?? {}
  expect([...centroid]).toEqual([expect.closeTo(Math.SQRT1_2), expect.closeTo(Math.SQRT1_2)])
})

it('what says nothing has no place', () => {
  expect(createOutline('e', [])).toBeUndefined()
  expect(createOutline('e', [{ vector: new Float32Array(2), tags: [] }])).toBeUndefined()
})
