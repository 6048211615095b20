import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Embedding, findNearest } from '../../../src/domain/vectors/similarity.ts'
import {
  computeQuantisationStep,
  decode,
  encode,
  type Precision,
} from '../../../src/domain/vectors/vector-codes.ts'
import {
  computeFrqadDistance,
  findNearestMixed,
} from '../../../src/embeddings/search/mixed-precision-distance.ts'
import { createVectorSource } from '../../support/stores/random-vectors.ts'

function roundTo(vector: Embedding, bits: Precision) {
  const code = encode(vector, bits)
  return { vector: decode(code, vector.length, bits), step: computeQuantisationStep(code, bits) }
}

const source = createVectorSource(3)
const base = source.unit(64)
const other = source.unit(64)

describe('the Fisher–Rao distance', () => {
  it('follows the formula', () => {
    const one = { vector: Float32Array.from([1, 0]), step: 0 }
    const rounded = { vector: Float32Array.from([0, 1]), step: Math.sqrt(9) }
    // σ₁² = 1/4, σ₂² = 1/4 + 9/12 = 1; both coordinates are 1 apart.
    const each = Math.SQRT2 * Math.acosh(1 + (1 / 2 + 1 / 4) / (2 * 0.5 * 1))
    expect(computeFrqadDistance(one, rounded)).toBeCloseTo(Math.hypot(each, each), 12)
  })

  it('is symmetric, and 0 only between equal vectors of equal precision', () => {
    const exact = roundTo(base, 32)
    const coarse = roundTo(other, 2)
    expect(computeFrqadDistance(exact, coarse)).toBe(computeFrqadDistance(coarse, exact))
    expect(computeFrqadDistance(exact, exact)).toBe(0)
    expect(computeFrqadDistance(exact, { ...exact, step: 0.1 })).toBeGreaterThan(0)
  })

  it('stays precise for small differences', () => {
    const moved = base.map((value, index) => (index === 0 ? value + 1e-6 : value))
    const distance = computeFrqadDistance({ vector: base, step: 0 }, { vector: moved, step: 0 })
    expect(distance).toBeGreaterThan(1e-6)
    expect(distance).toBeLessThan(1e-4)
  })

  it('satisfies the triangle inequality', () => {
    const index = fc.integer({ min: 0, max: 29 })
    const drawn = Array.from({ length: 30 }, (_, at) =>
      roundTo(source.unit(64), ([32, 8, 4, 2] as const)[at % 4] ?? 32),
    )
    fc.assert(
      fc.property(index, index, index, (a, b, c) => {
        const one = drawn[a]
        const two = drawn[b]
        const three = drawn[c]
        if (!one || !two || !three) throw new Error('drawn out of range')
        const detour = computeFrqadDistance(one, two) + computeFrqadDistance(two, three)
        expect(computeFrqadDistance(one, three)).toBeLessThanOrEqual(detour + 1e-9)
      }),
    )
  })

  it('is refused between vectors of different models', () => {
    const short = { vector: Float32Array.from([1]), step: 0 }
    expect(() => computeFrqadDistance(short, { vector: base, step: 0 })).toThrow(RangeError)
  })
})

describe('the nearest vectors of mixed precision', () => {
  const centres = Array.from({ length: 40 }, () => source.unit(384))
  const draw = (index: number) => source.near(centres[index % 40] ?? base, 0.9)
  const stored = Array.from({ length: 800 }, (_, index) => ({ id: `r${index}`, vector: draw(index) }))

  it('are in the order of cosine at full precision', () => {
    for (let query = 0; query < 5; query++) {
      const question = draw(query)
      const exact = stored.map((each) => ({ ...each, step: 0 }))
      const ranked = findNearestMixed({ vector: question, step: 0 }, exact, 800)
      expect(ranked).toEqual(findNearest(question, stored, 800))
    }
  })

  it('keep that order among full-precision vectors when others lie between them', () => {
    const question = draw(3)
    const mixed = stored.map((each, index) =>
      index % 2 === 0 ? { ...each, step: 0 } : { id: each.id, ...roundTo(each.vector, 4) },
    )
    const isExact = new Set(mixed.filter(({ step }) => step === 0).map(({ id }) => id))
    const ranked = findNearestMixed({ vector: question, step: 0 }, mixed, 800)
    expect(new Set(ranked.map(({ id }) => id)).size).toBe(800)
    const exact = ranked.filter(({ id }) => isExact.has(id))
    expect(exact).toEqual(
      findNearest(
        question,
        stored.filter(({ id }) => isExact.has(id)),
        800,
      ),
    )
  })

  it('match the exact order better than cosine of the rounded vectors', () => {
    const mixed = stored.map(({ id, vector }, index) => ({
      id,
      ...roundTo(vector, ([32, 8, 4, 2] as const)[Math.floor(index / 40) % 4] ?? 32),
    }))
    let byCosine = 0
    let byClouds = 0
    for (let query = 0; query < 8; query++) {
      const question = draw(query)
      const truth = new Set(findNearest(question, stored, 10).map(({ id }) => id))
      const hits = (found: { id: string }[]) => found.filter(({ id }) => truth.has(id)).length
      byCosine += hits(findNearest(question, mixed, 10))
      byClouds += hits(findNearestMixed({ vector: question, step: 0 }, mixed, 10))
    }
    expect(byClouds).toBeGreaterThan(byCosine)
  })
})
