import { createFactHandle, type Handle } from '../../domain/identity/handles.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import type { Episode } from '../episode.ts'

/** Groups the facts of many episodes: each fact once, with the episodes that state it. */

export type Triple = { subject: string; predicate: string; object: unknown }

/** A fact stated by an episode at the given time. */
export type ObservedFact = { fact: Triple; episode: Episode; at: string }

export type Observation = { episode: Episode; at: string }

export type FactGroup = {
  fact: Triple
  handle: Handle & { detail: Buffer }
  scope: string
  /**
   * Facts of different sensitivity are different facts: a confidential episode must not reinforce a fact that
   * every key may read.
   */
  sensitivity: Sensitivity
  observations: readonly Observation[]
}

/** Groups in the order of the input, so that the same episodes always give the same result. */
export function groupFacts(observedFacts: readonly ObservedFact[]): FactGroup[] {
  const byKey = new Map<string, FactGroup & { observations: Observation[] }>()
  const seen = new Set<string>()
  for (const { fact, episode, at } of observedFacts) {
    const { scope, sensitivity } = episode
    const { digest, detail, place } = createFactHandle(fact)
    if (!detail) continue
    const key = JSON.stringify([digest.toString('base64'), detail.toString('base64'), scope, sensitivity])
    const known = byKey.get(key) ?? {
      fact,
      handle: { digest, detail, place },
      scope,
      sensitivity,
      observations: [],
    }
    byKey.set(key, known)
    // An episode that states a fact twice is one observation.
    if (seen.has(key + episode.id)) continue
    seen.add(key + episode.id)
    known.observations.push({ episode, at })
  }
  return [...byKey.values()]
}
