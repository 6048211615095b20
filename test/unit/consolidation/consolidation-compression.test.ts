import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compress } from '../../../src/consolidation/compression/episode-compression.ts'
import { computeSalience } from '../../../src/domain/lifecycle/curves.ts'

const now = new Date('2026-03-28T09:30:00.000Z')
const life = fc.record({
  curve: fc.constantFrom('exponential' as const, 'linear' as const, 'huber' as const, 'elastic' as const),
  half_life_seconds: fc.integer({ min: 1, max: 1e8 }),
  min_salience: fc.double({ min: 0, max: 1, noNaN: true }),
  base_salience: fc.double({ min: 0, max: 10, noNaN: true }),
  anchored_at: fc.integer({ min: 0, max: 1e10 }).map((ago) => new Date(now.getTime() - ago)),
  expires_at: fc.constant(null),
  pinned: fc.constant(false),
  deletion_policy: fc.constant('auto_prune' as const),
})

it('compression halves salience, keeps at least 0.05 and never raises it', () => {
  fc.assert(
    fc.property(life, (before) => {
      const compressed = compress(before, now)
      if (!compressed) {
        expect(before.base_salience).toBeLessThanOrEqual(0.05)
        return
      }
      const [was, is] = compressed.changes.base_salience
      expect(was).toBe(before.base_salience)
      expect(is).toBe(Math.max(was / 2, 0.05))
      expect(is).toBeLessThan(was)
      const after = { ...before, base_salience: is }
      expect(compressed.changes.salience).toEqual([computeSalience(before, now), computeSalience(after, now)])
      if (compressed.prune_at)
        expect(computeSalience(after, compressed.prune_at)).toBeLessThanOrEqual(0.001 + 1e-12)
    }),
  )
})
