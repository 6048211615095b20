import { describe, expect, it } from 'vitest'
import {
  type Curve,
  computePruneAt,
  computeSalience,
  type PrunableState,
} from '../../../src/domain/lifecycle/curves.ts'

type Decay = {
  curve: Curve
  half_life_seconds: number
  min_salience: number
  max_age_seconds: number
}
type Fading = {
  computeSalience(decay: Decay, seconds: number): number
  findForgetting(policy: { decay: Decay; deletion_policy: string }): number | undefined
}

// The page is checked on its own, by another compiler configuration.
const page = new URL('../../../src/console/browser/plots/fading.js', import.meta.url).href
const fading = (await import(page)) as Fading

const bornAt = new Date('2026-03-28T09:30:00Z')
const hour = 3_600
const decays = (['exponential', 'linear', 'custom', 'huber', 'elastic'] as const).flatMap((curve) =>
  [
    { min_salience: 0, max_age_seconds: 0 },
    { min_salience: 0.2, max_age_seconds: 0 },
    { min_salience: 0, max_age_seconds: 3 * hour },
  ].map((limits) => ({ curve, half_life_seconds: 2 * hour, ...limits })),
)

function stateOf({ max_age_seconds: age, ...decay }: Decay): PrunableState {
  const expires_at = age === 0 ? null : new Date(bornAt.getTime() + age * 1_000)
  return {
    ...decay,
    base_salience: 1,
    anchored_at: bornAt,
    expires_at,
    pinned: false,
    deletion_policy: 'auto_prune',
  }
}

describe('the preview of a policy in the console', () => {
  it.each(decays)('fades as the service does: $curve, floor $min_salience, age $max_age_seconds', (decay) => {
    for (let seconds = 0; seconds < 100 * hour; seconds += 1_234) {
      const at = new Date(bornAt.getTime() + seconds * 1_000)
      expect(fading.computeSalience(decay, seconds)).toBeCloseTo(computeSalience(stateOf(decay), at), 12)
    }
  })

  it.each(decays)('ends as the service does: $curve, floor $min_salience, age $max_age_seconds', (decay) => {
    const end = computePruneAt(stateOf(decay))
    const previewed = fading.findForgetting({ decay, deletion_policy: 'auto_prune' })
    if (end === null) expect(previewed).toBeUndefined()
    else expect(previewed).toBeCloseTo((end.getTime() - bornAt.getTime()) / 1_000, 2)
    expect(fading.findForgetting({ decay, deletion_policy: 'never' })).toBeUndefined()
  })
})
