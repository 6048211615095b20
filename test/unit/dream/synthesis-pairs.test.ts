import fc from 'fast-check'
import { expect, it } from 'vitest'
import { computeCosine } from '../../../src/domain/vectors/similarity.ts'
import { findThresholds } from '../../../src/domain/vectors/similarity-thresholds.ts'
import { createOutline, findSimilar, sortPairs } from '../../../src/dream/synthesis/entity-pairs.ts'

const { connected } = findThresholds('hash')

const vector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
  .map((values) => Float32Array.from(values))
const vectors = fc.array(
  fc.record({
    vector,
    tags: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'consolidated'), { maxLength: 2 }),
  }),
  { maxLength: 4 },
)
const entities = fc
  .array(vectors, { maxLength: 12 })
  .map((all) => all.flatMap((each, n) => createOutline(`e${String(n).padStart(2, '0')}`, each) ?? []))

it('findSimilar returns every similar pair without a shared context once, and no other', () => {
  fc.assert(
    fc.property(entities, (all) => {
      const found = all.flatMap((one, index) => findSimilar(one, all.slice(index + 1), connected))
      const expected = all.flatMap((one) =>
        all
          .filter((other) => {
            const likeness = computeCosine(one.centroid, other.centroid)
            const isAlike = likeness >= connected.least && likeness <= connected.most
            return one.id < other.id && isAlike && [...one.tags].every((tag) => !other.tags.has(tag))
          })
          .map((other) => `${one.id} ${other.id}`),
      )
      expect(found.map(({ one, other }) => `${one} ${other}`).sort()).toEqual(expected.sort())
    }),
  )
})

it('the order of pairs does not depend on how they were found', () => {
  fc.assert(
    fc.property(entities, fc.infiniteStream(fc.nat()), (all, keys) => {
      const found = all.flatMap((one, index) => findSimilar(one, all.slice(index + 1), connected))
      const shuffled = found
        .map((pair) => ({ pair, key: Number(keys.next().value) }))
        .sort((left, right) => left.key - right.key)
        .map(({ pair }) => pair)
      expect(sortPairs(shuffled)).toEqual(sortPairs(found))
    }),
  )
})

it('a centroid averages directions and ignores lengths', () => {
  const vectors = [Float32Array.from([100, 0]), Float32Array.from([0, 1])].map((each) => ({
    vector: each,
    tags: [],
  }))
  const { centroid = new Float32Array() } = createOutline('e', vectors) ?? {}
  expect([...centroid]).toEqual([expect.closeTo(Math.SQRT1_2), expect.closeTo(Math.SQRT1_2)])
})

it('an entity without usable vectors has no outline', () => {
  expect(createOutline('e', [])).toBeUndefined()
  expect(createOutline('e', [{ vector: new Float32Array(2), tags: [] }])).toBeUndefined()
})
