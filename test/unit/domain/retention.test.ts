import { expect, it } from 'vitest'
import { type Layer, sourceTrust } from '../../../src/domain/importance/importance.ts'
import { computeRetention, type RetentionMode } from '../../../src/domain/lifecycle/retention.ts'
import vectors from '../../vectors/retention.json' with { type: 'json' }

const modes: RetentionMode[] = ['l2', 'huber', 'elastic']
const fresh = { layer: 'episodic' as Layer, source_trust: 1, days_since_access: 0, accesses: 0 }

it('retention equals every published vector', () => {
  expect(vectors.cases).toHaveLength(441)
  for (const each of vectors.cases) {
    const retention = computeRetention({
      mode: each.mode as RetentionMode,
      layer: 'episodic',
      source_trust: sourceTrust[each.source_type as keyof typeof sourceTrust],
      days_since_access: each.days_since_access,
      accesses: each.accesses,
    })
    expect(retention.value).toBeCloseTo(each.retention, 9)
    expect(retention.half_life_days).toBeCloseTo(each.half_life_days, 5)
  }
})

it('retention is 1 for layers that never fade, and only for them', () => {
  const after = (layer: Layer) =>
    computeRetention({ ...fresh, mode: 'huber', layer, days_since_access: 10_000 })
  for (const layer of ['semantic', 'procedural', 'codebase'] as const) {
    expect(after(layer)).toMatchObject({ value: 1, half_life_days: null })
  }
  for (const layer of ['working', 'episodic'] as const) expect(after(layer).value).toBeLessThan(1e-9)
})

it('retention never rises with time, never falls with use, and stays between 0 and 1', () => {
  for (const mode of modes) {
    let before = 1
    for (let days = 0; days < 400; days++) {
      const { value } = computeRetention({ ...fresh, mode, days_since_access: days })
      expect(value).toBeLessThanOrEqual(before)
      expect(value).toBeGreaterThanOrEqual(0)
      const used = computeRetention({ ...fresh, mode, days_since_access: days, accesses: 1_000_000 })
      expect(used.value).toBeGreaterThanOrEqual(value)
      expect(used).toMatchObject({ bonus: 0.3 })
      expect(used.value).toBeLessThanOrEqual(1)
      before = value
    }
  }
})
