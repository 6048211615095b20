import { computeSalience } from '../../domain/lifecycle/curves.ts'
import type { LifecycleChange, LifecycleState } from '../../domain/lifecycle/reinforcement.ts'
import { reinforceByEpisode } from '../reinforcement.ts'
import type { Observation } from './fact-groups.ts'

/** Reinforcement of a fact that was observed again. */

/**
 * A fact lists only its first observations as evidence; its edges lead to all of them. With a hundred in the list,
 * most of the time of a consolidation was spent on rewriting long lists.
 */
export const maxNamedSources = 32

export type Reinforced = {
  id: string
  lifecycle: LifecycleChange
  /** Each new observation, with the salience before and after it. */
  times: readonly { episode: string; at: string; before: number; after: number }[]
}

/** Reinforces the fact once per new observation, up to the maximum salience. */
export function reinforceFact(
  fact: LifecycleState & { id: string },
  observations: readonly Observation[],
  now: Date,
): Reinforced {
  let lifecycle: LifecycleState = fact
  const times = observations.map(({ episode, at }) => {
    const before = computeSalience(lifecycle, now)
    lifecycle = reinforceByEpisode(lifecycle, now)
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
