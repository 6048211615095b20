import { salienceAt } from '../../domain/curves.ts'
import { type LifecycleChange, type LifecycleState, reinforce } from '../../domain/reinforcement.ts'
import type { Witness } from './fact-groups.ts'

/** A fact that was observed again. */

/**
 * A fact names the first of its witnesses, and its edges name all of them. Naming a hundred, most of the time of a
 * consolidation went into writing long lists anew.
 */
export const mostNamed = 32

/** What was created by hand may have no gain at all, and would never prove useful. */
const leastGain = 0.1

export type Reinforced = {
  id: string
  life: LifecycleChange
  /** Each of its new witnesses, and the salience before and after it was heard. */
  times: readonly { episode: string; at: string; before: number; after: number }[]
}

/** Once for each new witness, up to the cap. */
export function reinforceBy(
  fact: LifecycleState & { id: string },
  witnesses: readonly Witness[],
  now: Date,
): Reinforced {
  let life: LifecycleState = fact
  const times = witnesses.map(({ episode, at }) => {
    const before = salienceAt(life, now)
    const gain = Math.max(life.reinforcement_gain, leastGain)
    life = { ...life, ...reinforce({ ...life, reinforcement_gain: gain }, now) }
    return { episode: episode.id, at, before, after: life.salience }
  })
  return { id: fact.id, life, times }
}

export function evidenceOf({ episode, at }: Witness) {
  return { source_type: 'event' as const, source_id: episode.id, timestamp: at }
}

export function sourceOf({ episode, at }: Witness) {
  return { kind: 'event' as const, ref: episode.id, timestamp: at }
}
