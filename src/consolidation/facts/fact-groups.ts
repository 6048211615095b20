import type { Sensitivity } from '../../domain/caller.ts'
import { factHandle, type Handle } from '../../domain/handles.ts'
import type { Episode } from '../stages.ts'

/** What many episodes say, by what they say: each fact once, with those that witness it. */

export type Triple = { subject: string; predicate: string; object: unknown }

/** A fact as an episode tells it, of the given instant. */
export type ObservedFact = { fact: Triple; episode: Episode; at: string }

export type Observation = { episode: Episode; at: string }

export type FactGroup = {
  fact: Triple
  handle: Handle & { detail: Buffer }
  scope: string
  /** Part of what tells facts apart: one told in confidence is not a second voice for one that all may read. */
  sensitivity: Sensitivity
  observations: readonly Observation[]
}

/** In the order in which they were told, so that the same episodes always come to the same. */
export function groupFacts(observedFacts: readonly ObservedFact[]): FactGroup[] {
  const byKey = new Map<string, FactGroup & { observations: Observation[] }>()
  const seen = new Set<string>()
  for (const { fact, episode, at } of observedFacts) {
    const { scope, sensitivity } = episode
    const { digest, detail, place } = factHandle(fact)
    if (!detail) continue
    const key = JSON.stringify([digest.toString('base64'), detail.toString('base64'), scope, sensitivity])
    const known = byKey.get(key) ?? {
      ...{ fact, handle: { digest, detail, place }, scope, sensitivity, observations: [] },
    }
    byKey.set(key, known)
    // An episode that says it twice is one witness.
    if (seen.has(key + episode.id)) continue
    seen.add(key + episode.id)
    known.observations.push({ episode, at })
  }
  return [...byKey.values()]
}
