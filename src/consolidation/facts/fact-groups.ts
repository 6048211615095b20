import type { Sensitivity } from '../../domain/caller.ts'
import { factHandle, type Handle } from '../../domain/handles.ts'
import type { Episode } from '../stages.ts'

/** What many episodes say, by what they say: each fact once, with those that witness it. */

export type Said = { subject: string; predicate: string; object: unknown }

/** A fact as an episode tells it, of the given instant. */
export type Told = { fact: Said; episode: Episode; at: string }

export type Witness = { episode: Episode; at: string }

export type Gathered = {
  fact: Said
  handle: Handle & { detail: Buffer }
  scope: string
  /** Part of what tells facts apart: one told in confidence is not a second voice for one that all may read. */
  sensitivity: Sensitivity
  witnesses: readonly Witness[]
}

/** In the order in which they were told, so that the same episodes always come to the same. */
export function gather(told: readonly Told[]): Gathered[] {
  const byKey = new Map<string, Gathered & { witnesses: Witness[] }>()
  const heard = new Set<string>()
  for (const { fact, episode, at } of told) {
    const { scope, sensitivity } = episode
    const { digest, detail, place } = factHandle(fact)
    if (!detail) continue
    const key = JSON.stringify([digest.toString('base64'), detail.toString('base64'), scope, sensitivity])
    const known = byKey.get(key) ?? {
      ...{ fact, handle: { digest, detail, place }, scope, sensitivity, witnesses: [] },
    }
    byKey.set(key, known)
    // An episode that says it twice is one witness.
    if (heard.has(key + episode.id)) continue
    heard.add(key + episode.id)
    known.witnesses.push({ episode, at })
  }
  return [...byKey.values()]
}
