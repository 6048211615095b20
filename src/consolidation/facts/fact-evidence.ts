import { salienceAt } from '../../domain/curves.ts'
import { type LifecycleChange, type LifecycleState, reinforce } from '../../domain/reinforcement.ts'
import type { Observation } from './fact-groups.ts'

/** A fact that was observed again. */

/**
 * A fact names the first of its witnesses, and its edges name all of them. Naming a hundred, most of the time of a
 * consolidation went into writing long lists anew.
 */
export const maxNamedSources = 32

/** What was created by hand may have no gain at all, and would never prove useful. */
const minGain = 0.1

export type Reinforced = {
  id: string
  lifecycle: LifecycleChange
  /** Each of its new witnesses, and the salience before and after it was heard. */
  times: readonly { episode: string; at: string; before: number; after: number }[]
}

/** Once for each new witness, up to the cap. */
export function reinforceFact(
  fact: LifecycleState & { id: string },
  observations: readonly Observation[],
  now: Date,
): Reinforced {
  let lifecycle: LifecycleState = fact
  const times = observations.map(({ episode, at }) => {
    const before = salienceAt(lifecycle, now)
    const gain = Math.max(lifecycle.reinforcement_gain, minGain)
    lifecycle = { ...lifecycle, ...reinforce({ ...lifecycle, reinforcement_gain: gain }, now) }
    return { episode: episode.id, at, before, after: lifecycle.salience }
  })
  return { id: fact.id, lifecycle, times }
}

export function toEvidence({ episode, at }: Observation) {
  return { source_type: 'event' as const, source_id: episode.id, timestamp: at }
}

export function toSource({ episode, at }: Observation) {
  return { kind: 'event' as const, ref: episode.id, timestamp: at }
}
