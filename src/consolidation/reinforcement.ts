import { type LifecycleState, reinforce } from '../domain/lifecycle/reinforcement.ts'

/** Reinforcement of facts and practices by their episodes. */

/** A record created by a client may have a gain of 0 and would never be reinforced. */
const minGain = 0.1

/** Returns the lifecycle after one more episode. */
export function reinforceByEpisode(lifecycle: LifecycleState, now: Date): LifecycleState {
  const gain = Math.max(lifecycle.reinforcement_gain, minGain)
  return { ...lifecycle, ...reinforce({ ...lifecycle, reinforcement_gain: gain }, now) }
}
