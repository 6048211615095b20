import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Curve,
  computeFadingFactor,
  computePruneAt,
  computeSalience,
  countHalfLivesToReach,
  type PrunableState,
} from '../../../src/domain/lifecycle/curves.ts'
import vectors from '../../vectors/decay.json' with { type: 'json' }

const start = new Date('2026-01-01T00:00:00.000Z')
const later = (seconds: number) => new Date(start.getTime() + seconds * 1_000)

function life(changes: Partial<PrunableState> = {}): PrunableState {
  return {
    curve: 'exponential',
    half_life_seconds: 86_400,
    min_salience: 0,
    base_salience: 1,
    anchored_at: start,
    expires_at: null,
    pinned: false,
    deletion_policy: 'auto_prune',
    ...changes,
  }
}

const curves: Curve[] = ['exponential', 'linear', 'custom', 'huber', 'elastic']

describe('salience on a decay curve', () => {
  it('equals every published vector', () => {
    expect(vectors.cases.length).toBeGreaterThan(100)
    for (const vector of vectors.cases) {
      const { curve, base_salience, half_life_seconds, min_salience } = vector
      const record = life({ curve: curve as Curve, base_salience, half_life_seconds, min_salience })
      expect(computeSalience(record, later(vector.elapsed_seconds))).toBeCloseTo(vector.salience, 12)
    }
  })

  it('grows without bound when reinforced without a cap, by the published table', () => {
    const { every_seconds: step, expected, profile } = vectors.reinforcement
    const seen = [1]
    let record = life({ half_life_seconds: profile.half_life_seconds })
    for (let at = step; seen.length < expected.length; at += step) {
      seen.push(computeSalience(record, later(at)))
      const reinforced = computeSalience(record, later(at)) + profile.reinforcement_gain
      seen.push(reinforced)
      record = { ...record, base_salience: reinforced, anchored_at: later(at) }
    }
    for (const [index, value] of expected.entries()) expect(seen[index]).toBeCloseTo(value, 8)
  })

  it('is not raised by its floor, is never negative and never grows with time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...curves),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 1e11 }),
        fc.integer({ min: -1_000, max: 1e10 }),
        fc.integer({ min: 0, max: 1e10 }),
        (curve, base_salience, min_salience, half_life_seconds, elapsed, more) => {
          const record = life({ curve, base_salience, min_salience, half_life_seconds })
          const value = computeSalience(record, later(elapsed))
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(base_salience)
          expect(computeSalience(record, later(elapsed + more))).toBeLessThanOrEqual(value)
        },
      ),
    )
  })

  it('is frozen while pinned, even past the maximum age', () => {
    const record = life({ pinned: true, base_salience: 0.4, expires_at: later(10) })
    expect(computeSalience(record, later(1e9))).toBe(0.4)
  })

  it('is zero from the maximum age on, with any floor', () => {
    const record = life({ expires_at: later(3_600), min_salience: 0.5 })
    expect(computeSalience(record, later(3_599.999))).toBeGreaterThan(0.9)
    expect(computeSalience(record, later(3_600))).toBe(0)
  })
})

describe('the pruning time', () => {
  it('equals every published vector', () => {
    for (const vector of vectors.prune_moment) {
      const { curve, base_salience, half_life_seconds } = vector
      const moment = computePruneAt(life({ curve: curve as Curve, base_salience, half_life_seconds }))
      const seconds = ((moment?.getTime() ?? Number.NaN) - start.getTime()) / 1_000
      expect(Math.abs(seconds - vector.pruned_after_seconds)).toBeLessThanOrEqual(0.001)
    }
  })

  it('is where the curve reaches the threshold, and not a second earlier', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...curves),
        fc.double({ min: 0.0011, max: 1e6, noNaN: true }),
        fc.integer({ min: 1_000, max: 1e9 }),
        (curve, base_salience, half_life_seconds) => {
          const record = life({ curve, base_salience, half_life_seconds })
          const moment = computePruneAt(record)
          if (!moment) throw new Error('every such record fades away')
          expect(computeSalience(record, moment)).toBeLessThanOrEqual(0.001 + 1e-9)
          const sooner = new Date(moment.getTime() - half_life_seconds)
          expect(computeSalience(record, sooner)).toBeGreaterThan(0.001)
        },
      ),
    )
  })

  it('does not exist for pinned records, records kept by policy and records with a floor', () => {
    expect(computePruneAt(life({ pinned: true }))).toBeNull()
    expect(computePruneAt(life({ deletion_policy: 'manual_only' }))).toBeNull()
    expect(computePruneAt(life({ deletion_policy: 'never', expires_at: later(1) }))).toBeNull()
    expect(computePruneAt(life({ min_salience: 0.001 }))).toBeNull()
  })

  it('does not exist when it would be after the year 9999, which no timestamp can hold', () => {
    expect(computePruneAt(life({ half_life_seconds: 1e11 }))).toBeNull()
    expect(computePruneAt(life({ half_life_seconds: 1e11, expires_at: later(60) }))).toEqual(later(60))
  })

  it('is the anchor of a record that starts at the threshold, with any floor', () => {
    for (const min_salience of [0, 0.001, 0.2])
      expect(computePruneAt(life({ base_salience: 0.001, min_salience }))).toEqual(start)
  })

  it('is the maximum age when that comes first or a floor stops the curve', () => {
    expect(computePruneAt(life({ expires_at: later(60) }))).toEqual(later(60))
    expect(computePruneAt(life({ expires_at: later(60), min_salience: 0.5 }))).toEqual(later(60))
  })
})

describe('the inverse of a decay curve', () => {
  it('returns the half-lives after which a factor is reached', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...curves),
        fc.double({ min: 1e-9, max: 0.999_999, noNaN: true }),
        (curve, factor) => {
          expect(computeFadingFactor(curve, countHalfLivesToReach(curve, factor))).toBeCloseTo(factor, 9)
        },
      ),
    )
  })
})
