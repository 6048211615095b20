import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as surprising from '../../../src/domain/importance/surprise.ts'
import type { Neighbour } from '../../../src/domain/vectors/similarity.ts'
import { findThresholds } from '../../../src/domain/vectors/similarity-thresholds.ts'
import vectors from '../../vectors/surprise.json' with { type: 'json' }

const known = (similarities: readonly number[]) =>
  similarities.map((similarity, index) => ({ id: `n${index}`, similarity }))
const computeSurprise = (base: number, neighbours: readonly Neighbour[]) =>
  surprising.computeSurprise(base, neighbours, findThresholds('hash'))
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const similarities = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 8 })

describe('the surprise of a record', () => {
  it('is the value of every published example', () => {
    expect(vectors.cases.length).toBeGreaterThan(20)
    for (const vector of vectors.cases) {
      const { base_importance, surprise } = computeSurprise(vector.base, known(vector.similarities))
      expect(surprise.score).toBeCloseTo(vector.score, 12)
      expect(surprise.delta).toBeCloseTo(vector.delta, 12)
      expect(base_importance).toBeCloseTo(vector.base_after, 12)
      expect(surprise.duplicate_of !== undefined).toBe(vector.duplicate)
      expect(surprise.base_before).toBe(vector.base)
    }
  })

  it('lists its neighbours, nearest first, and names the one it duplicates', () => {
    const neighbours = [
      { id: 'b', similarity: 0.95 },
      { id: 'c', similarity: 0.1 },
      { id: 'a', similarity: 0.95 },
    ]
    const { surprise } = computeSurprise(0.5, neighbours)
    expect(surprise.neighbours.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(surprise.duplicate_of).toBe('a')
    expect(computeSurprise(0.5, known([0.919])).surprise).not.toHaveProperty('duplicate_of')
  })

  it('uses the five nearest neighbours, in any order', () => {
    const five = computeSurprise(0.5, known([0.9, 0.8, 0.7, 0.6, 0.5]))
    const more = computeSurprise(0.5, [{ id: 'far', similarity: -0.5 }, ...known([0.9, 0.8, 0.7, 0.6, 0.5])])
    expect(more).toEqual(five)
  })

  it('stays within the range of importance, and never raises a duplicate', () => {
    fc.assert(
      fc.property(unit, similarities, (base, input) => {
        const { base_importance, surprise } = computeSurprise(base, known(input))
        expect(base_importance).toBeGreaterThanOrEqual(0.05)
        expect(base_importance).toBeLessThanOrEqual(1)
        expect(Math.abs(surprise.delta)).toBeLessThanOrEqual(0.35)
        if (surprise.duplicate_of !== undefined) expect(surprise.delta).toBeLessThanOrEqual(-0.05)
      }),
    )
  })

  it('falls as neighbours come nearer', () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 5 }), unit, (input, share) => {
        const nearer = input.map((similarity) => similarity + (1 - similarity) * share)
        const before = computeSurprise(0.5, known(input)).surprise
        const after = computeSurprise(0.5, known(nearer)).surprise
        expect(after.score).toBeLessThanOrEqual(before.score + 1e-12)
        expect(after.delta).toBeLessThanOrEqual(before.delta + 1e-12)
      }),
    )
  })
})
