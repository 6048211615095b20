import { computeExpiry, computePruneAt, computeSalience, maxSalience, type PrunableState } from './curves.ts'

/** The lifecycle operations as pure functions, so that the bulk form and the single form cannot differ. */

export type LifecycleState = PrunableState & {
  salience: number
  created_at: Date
  max_age_seconds: number
  reinforcement_gain: number
  max_salience: number | null
  last_reinforced_at: Date
  prune_at: Date | null
}

/** The columns that an operation changes, including the deadlines that follow from them. */
export type LifecycleChange = Pick<
  LifecycleState,
  'base_salience' | 'anchored_at' | 'last_reinforced_at' | 'pinned' | 'salience' | 'expires_at' | 'prune_at'
>

/**
 * Adds the gain to the current salience, up to the cap, and starts decay again from now. A salience above the cap
 * stays.
 */
export function reinforce(state: LifecycleState, now: Date): LifecycleChange {
  const left = computeSalience(state, now)
  const cap = state.max_salience ?? maxSalience
  const raised = Math.max(left, Math.min(left + state.reinforcement_gain, cap))
  return withDeadlines({ ...state, base_salience: raised, anchored_at: now, last_reinforced_at: now }, now)
}

/**
 * Subtracts `amount` from the current salience, down to the floor. It scales the base instead of moving the anchor,
 * so the deadline of a linear curve does not change.
 */
export function penalize(state: LifecycleState, amount: number, now: Date): LifecycleChange {
  const left = computeSalience(state, now)
  const lowered = Math.max(left - amount, Math.min(state.min_salience, left))
  const share = left === 0 ? 1 : lowered / left
  return withDeadlines({ ...state, base_salience: state.base_salience * share }, now)
}

/** Keeps the record at its current salience. */
export function pin(state: LifecycleState, now: Date): LifecycleChange {
  return withDeadlines(
    { ...state, base_salience: computeSalience(state, now), anchored_at: now, pinned: true },
    now,
  )
}

/** Starts decay again from the salience at which the record was pinned. */
export function unpin(state: LifecycleState, now: Date): LifecycleChange {
  return withDeadlines(
    { ...state, base_salience: computeSalience(state, now), anchored_at: now, pinned: false },
    now,
  )
}

function withDeadlines(state: LifecycleState, now: Date): LifecycleChange {
  const next = { ...state, expires_at: computeExpiry(state.created_at, state.max_age_seconds) }
  return {
    base_salience: next.base_salience,
    anchored_at: next.anchored_at,
    last_reinforced_at: next.last_reinforced_at,
    pinned: next.pinned,
    salience: computeSalience(next, now),
    expires_at: next.expires_at,
    prune_at: computePruneAt(next),
  }
}
