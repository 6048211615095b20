import type { Caller } from '../domain/caller.ts'

/**
 * How long a revocation made by another process may go unnoticed here, in milliseconds; in this process it
 * is noticed at once.
 */
const familiarForMs = 5_000

/** Keys in use at once; beyond that the one met longest ago is asked about anew. */
const capacity = 10_000

export type Familiar = { id: string; caller: Caller; expiresAt: number; lastUsedAt: number }

/** The keys met in the last few seconds, by the digest of their secret, so that most requests ask no database. */
export function createFamiliarity() {
  const met = new Map<string, { familiar: Familiar; until: number }>()
  const distrusted = new Map<string, number>()

  return {
    recall(digest: string, now: number): Familiar | undefined {
      const known = met.get(digest)
      if (!known || now < known.until) return known?.familiar
      met.delete(digest)
      return undefined
    },

    remember(digest: string, familiar: Familiar, now: number): void {
      // A lookup that began before the revocation was committed must not bring the key back.
      if ((distrusted.get(familiar.id) ?? 0) > now) return
      met.delete(digest)
      met.set(digest, { familiar, until: now + familiarForMs })
      const [oldest] = met.keys()
      if (met.size > capacity && oldest !== undefined) met.delete(oldest)
    },

    /** For as long as the revoking transaction may still be open the key is looked up each time. */
    distrust(id: string, now: number): void {
      for (const [digest, { familiar }] of met) if (familiar.id === id) met.delete(digest)
      distrusted.set(id, now + distrustForMs)
    },

    /** While a key was revoked so lately, a lookup under way may already be out of date. */
    isSettled(now: number): boolean {
      for (const [id, until] of distrusted) if (until <= now) distrusted.delete(id)
      return distrusted.size === 0
    },
  }
}

/** Longer than any transaction of a request lives. */
const distrustForMs = 60_000
