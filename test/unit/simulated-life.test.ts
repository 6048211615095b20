import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeExpiry, computePruneAt, computeSalience } from '../../src/domain/lifecycle/curves.ts'
import { findPruning, type Move, type RecordedLife } from '../../src/simulation/simulated-life.ts'

const day = 86_400_000
const creation = Date.parse('2026-01-01T00:00:00.000Z')
const at = (days: number) => new Date(creation + days * day)
const window = { from: at(10), until: at(40) }

function life(more: Partial<RecordedLife> = {}): RecordedLife {
  return {
    curve: 'exponential',
    half_life_seconds: 86_400,
    min_salience: 0,
    max_age_seconds: 0,
    base_salience: 1,
    anchored_at: at(0),
    created_at: at(0),
    expires_at: null,
    pinned: false,
    max_salience: 1,
    reinforcement_gain: 0.1,
    deletion_policy: 'auto_prune',
    status: 'active',
    forgotten_at: null,
    forgotten_reason: null,
    moves: [],
    ...more,
  }
}

describe('a recorded life that is played again', () => {
  it('is pruned when it was pruned, if nothing is changed', () => {
    const curves = fc.constantFrom('exponential', 'linear', 'huber', 'elastic', 'custom')
    const shape = fc.record({
      curve: curves as fc.Arbitrary<RecordedLife['curve']>,
      half_life_seconds: fc.integer({ min: 3_600, max: 20 * 86_400 }),
      min_salience: fc.constantFrom(0, 0.2),
      max_age_seconds: fc.constantFrom(0, 20 * 86_400),
      base_salience: fc.double({ min: 0.01, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(shape, (given) => {
        const played = life({ ...given, expires_at: computeExpiry(at(0), given.max_age_seconds) })
        const due = computePruneAt(played)
        const pruned = findPruning(played, {}, window)
        if (!due || due > window.until) expect(pruned).toBeUndefined()
        else expect(pruned?.getTime()).toBe(Math.max(due.getTime(), window.from.getTime()))
      }),
    )
  })

  it('is pruned later with a longer half-life, and sooner with a shorter one', () => {
    // Faded to 2^-9.97 after 9.97 half-lives of two days.
    const played = life({ half_life_seconds: 2 * 86_400 })
    const times = [1, 2, 4, 8].map((days) =>
      findPruning(played, { half_life_seconds: days * 86_400 }, window)?.getTime(),
    )
    expect(times[0]).toBeLessThan(times[1] ?? 0)
    expect(times[1]).toBeLessThan(times[2] ?? 0)
    expect(times[3]).toBeUndefined()
  })

  it('is reinforced again at the same times, and once it is forgotten no longer', () => {
    const left = computeSalience(life(), at(9))
    const reinforced = (days: number): Move => [creation + days * day, left, left + 0.1]
    const played = life({
      anchored_at: at(15),
      base_salience: left + 0.1,
      created_at: at(8),
      moves: [reinforced(15)],
    })
    const short = findPruning(played, { half_life_seconds: 3_600 }, window)
    expect(short && short < at(15)).toBe(true)
    const usual = findPruning(played, {}, window)
    expect(usual && usual > at(20)).toBe(true)
  })

  it('is not forgotten while it is pinned or its policy says so, nor after it has left', () => {
    expect(findPruning(life({ pinned: true }), {}, window)).toBeUndefined()
    expect(findPruning(life(), { deletion_policy: 'manual_only' }, window)).toBeUndefined()
    const deleted = { forgotten_at: at(10.5), forgotten_reason: 'deleted' }
    const slow = { half_life_seconds: 2 * 86_400 }
    expect(findPruning(life({ ...slow, ...deleted }), {}, window)).toBeUndefined()
    expect(findPruning(life({ ...slow, ...deleted, forgotten_reason: 'pruned' }), {}, window)).toBeDefined()
    const replaced = { status: 'superseded', anchored_at: at(11), base_salience: 0 } as const
    expect(findPruning(life(replaced), {}, window)).toBeUndefined()
    const moves: Move[] = [[at(11).getTime(), 0.01, 0]]
    expect(findPruning(life({ ...replaced, moves }), {}, window)).toBeUndefined()
    expect(findPruning(life({ ...replaced, moves }), { half_life_seconds: 60 }, window)).toBeDefined()
  })

  it('uses the gain and the cap of the other policy', () => {
    const moves: Move[] = [[creation + 12 * day, 0.01, 0.11]]
    const played = life({ half_life_seconds: 2 * 86_400, anchored_at: at(12), base_salience: 0.11, moves })
    const gained = (gain: number) => findPruning(played, { reinforcement_gain: gain }, window)?.getTime() ?? 0
    expect(gained(0.5)).toBeGreaterThan(gained(0.1))
    const capped =
      findPruning(played, { reinforcement_gain: 0.5, max_salience: 0.05 }, window)?.getTime() ?? 0
    expect(capped).toBeLessThan(gained(0.1))
  })
})
