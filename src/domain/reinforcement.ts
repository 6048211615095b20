import { computeExpiry, computePruneAt, maxSalience, type PrunableState, salienceAt } from './curves.ts'

/** What the lifecycle operations do to a record: pure, so that bulk and single forms cannot differ. */

export type LifecycleState = PrunableState & {
  salience: number
  created_at: Date
  max_age_seconds: number
  reinforcement_gain: number
  max_salience: number | null
  last_reinforced_at: Date
  prune_at: Date | null
}

/** The columns an operation changes, with the deadlines that follow from them. */
export type LifecycleChange = Pick<
  LifecycleState,
  'base_salience' | 'anchored_at' | 'last_reinforced_at' | 'pinned' | 'salience' | 'expires_at' | 'prune_at'
>

/** Adds the gain to what is left, up to the cap, and starts the clock anew. What is above the cap stays. */
export function reinforce(life: LifecycleState, now: Date): LifecycleChange {
  const left = salienceAt(life, now)
  const cap = life.max_salience ?? maxSalience
  const raised = Math.max(left, Math.min(left + life.reinforcement_gain, cap))
  return withDeadlines({ ...life, base_salience: raised, anchored_at: now, last_reinforced_at: now }, now)
}

/**
 * Takes `amount` away, down to the floor. The base is scaled, so that the clock and a linear curve's deadline
 * stay where they are.
 */
export function penalize(life: LifecycleState, amount: number, now: Date): LifecycleChange {
  const left = salienceAt(life, now)
  const lowered = Math.max(left - amount, Math.min(life.min_salience, left))
  const share = left === 0 ? 1 : lowered / left
  return withDeadlines({ ...life, base_salience: life.base_salience * share }, now)
}

/** Freezes the record at what it has come to. */
export function pin(life: LifecycleState, now: Date): LifecycleChange {
  return withDeadlines({ ...life, base_salience: salienceAt(life, now), anchored_at: now, pinned: true }, now)
}

/** Lets it fade again from where it was frozen. */
export function unpin(life: LifecycleState, now: Date): LifecycleChange {
  return withDeadlines(
    { ...life, base_salience: salienceAt(life, now), anchored_at: now, pinned: false },
    now,
  )
}

function withDeadlines(life: LifecycleState, now: Date): LifecycleChange {
  const settled = { ...life, expires_at: computeExpiry(life.created_at, life.max_age_seconds) }
  return {
    base_salience: settled.base_salience,
    anchored_at: settled.anchored_at,
    last_reinforced_at: settled.last_reinforced_at,
    pinned: settled.pinned,
    salience: salienceAt(settled, now),
    expires_at: settled.expires_at,
    prune_at: computePruneAt(settled),
  }
}
