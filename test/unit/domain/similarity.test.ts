import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  computeCosine,
  computeDot,
  findNearest,
  hasDirection,
  normalise,
} from '../../../src/domain/vectors/similarity.ts'

const vector = (...values: number[]) => Float32Array.from(values)
/** Large enough that the square does not underflow, which no embedder produces. */
const drawn = (length: number) =>
  fc
    .array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: length, maxLength: length })
    .map((values) => Float32Array.from(values, (value) => (Math.abs(value) < 1e-6 ? 0 : value)))

describe('the cosine', () => {
  it.each([
    [vector(1, 0), vector(1, 0), 1],
    [vector(1, 0), vector(0, 2), 0],
    [vector(1, 0), vector(-3, 0), -1],
    [vector(3, 4), vector(4, 3), 0.96],
    [vector(0, 0), vector(1, 1), 0],
  ])('of %o and %o is %d', (one, other, expected) => {
    expect(computeCosine(one, other)).toBeCloseTo(expected, 12)
  })

  it('is symmetric, between −1 and 1, independent of length, and 1 for equal vectors', () => {
    fc.assert(
      fc.property(drawn(5), drawn(5), fc.constantFrom(0.25, 2, 1024), (one, other, scale) => {
        const similarity = computeCosine(one, other)
        expect(computeCosine(other, one)).toBe(similarity)
        expect(Math.abs(similarity)).toBeLessThanOrEqual(1)
        expect(
          computeCosine(
            one.map((value) => value * scale),
            other,
          ),
        ).toBeCloseTo(similarity, 6)
        const length = Math.sqrt(computeDot(one, one))
        if (length > 1e-6) expect(computeCosine(one, one)).toBeCloseTo(1, 6)
      }),
    )
  })

  it('is refused between vectors of different models', () => {
    expect(() => computeCosine(vector(1, 2), vector(1, 2, 3))).toThrow(RangeError)
  })
})

describe('a normalised vector', () => {
  it('has the length 1 and the same direction', () => {
    expect(normalise(vector(3, 4))).toEqual(vector(0.6, 0.8))
  })

  it('is the zero vector for the zero vector', () => {
    const zero = vector(0, 0)
    expect(normalise(zero)).toEqual(zero)
    expect(hasDirection(zero)).toBe(false)
    expect(hasDirection(vector(0, 1e-9))).toBe(true)
  })
})

describe('the search for the nearest vectors', () => {
  const candidates = [
    { id: 'far', vector: vector(-1, 0) },
    { id: 'twin-b', vector: vector(2, 2) },
    { id: 'near', vector: vector(1, 0.1) },
    { id: 'twin-a', vector: vector(1, 1) },
  ]

  it('returns the most similar first, equals by id', () => {
    expect(findNearest(vector(1, 0), candidates, 3).map(({ id }) => id)).toEqual(['near', 'twin-a', 'twin-b'])
  })

  it('returns all candidates when there are fewer than requested', () => {
    expect(findNearest(vector(1, 0), candidates, 9)).toHaveLength(4)
    expect(findNearest(vector(1, 0), [], 9)).toEqual([])
  })

  it('does not depend on the order of the candidates', () => {
    const shuffled = fc.shuffledSubarray(candidates, { minLength: candidates.length })
    const expected = findNearest(vector(1, 0), candidates, 4)
    fc.assert(
      fc.property(shuffled, (order) => {
        expect(findNearest(vector(1, 0), order, 4)).toEqual(expected)
      }),
    )
  })
})
