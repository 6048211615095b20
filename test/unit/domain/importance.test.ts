import { expect, it } from 'vitest'
import {
  computeImportanceFactors,
  importanceWeights,
  type Layer,
  scoreImportance,
} from '../../../src/domain/importance/importance.ts'
import { summariseAccesses } from '../../support/checks/lifecycle-rules.ts'
import vectors from '../../vectors/importance.json' with { type: 'json' }

const used = (age_days: number) => ({ age_days, kind: 'used' as const })

it('importance equals every published vector, factor by factor', () => {
  for (const { factors, importance, layer, access_ages_days, ...rest } of vectors.cases) {
    const accesses = summariseAccesses(access_ages_days.map(used), rest.age_days)
    const inputs = { ...rest, accesses, layer: layer as Layer }
    const scored = computeImportanceFactors(inputs)
    expect(scored.base).toBeCloseTo(factors.base, 12)
    expect(scored.access).toBeCloseTo(factors.access, 12)
    expect(scored.recency).toBeCloseTo(factors.recency, 12)
    expect(scored.valence).toBeCloseTo(factors.valence, 12)
    expect(scored.stability).toBeCloseTo(factors.stability, 12)
    expect(scored.layer).toBeCloseTo(factors.layer, 12)
    expect(scored.trust).toBeCloseTo(factors.trust, 12)
    expect(scored.confirmations).toBeCloseTo(factors.confirm, 12)
    expect(scored.activation).toBeCloseTo(factors.actr, 9)
    expect(scoreImportance(inputs)).toBeCloseTo(importance, 9)
  }
})

it('the nine weights of importance add up to one', () => {
  const weights = Object.values(importanceWeights)
  expect(weights).toHaveLength(9)
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12)
})

it('importance is continuous where exact accesses end and the approximation begins', () => {
  const score = (count: number) =>
    scoreImportance({
      base_importance: 0.5,
      accesses: summariseAccesses(
        Array.from({ length: count }, (_, index) => used(1 + index)),
        100,
      ),
      age_days: 100,
      layer: 'semantic',
      source_trust: 1,
      emotional_valence: 0,
      confirmations: 0,
    })
  expect(score(33)).toBeGreaterThan(score(31))
  expect(score(60) - score(31)).toBeLessThan(0.02)
})
