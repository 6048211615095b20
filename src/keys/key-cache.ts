import type { Caller } from '../domain/caller.ts'

/**
 * How long a revocation made by another process may go unnoticed here, in milliseconds; in this process it
 * is noticed at once.
 */
const cacheForMs = 5_000

/** Keys in use at once; beyond that the one met longest ago is asked about anew. */
const maxKeys = 10_000

export type CachedKey = { id: string; caller: Caller; expiresAt: number; lastUsedAt: number }

/** The keys met in the last few seconds, by the digest of their secret, so that most requests ask no database. */
export function createKeyCache() {
  const met = new Map<string, { familiar: CachedKey; until: number }>()
  const distrusted = new Map<string, number>()

  return {
    get(digest: string, now: number): CachedKey | undefined {
      const known = met.get(digest)
      if (!known || now < known.until) return known?.familiar
      met.delete(digest)
      return undefined
    },

    set(digest: string, familiar: CachedKey, now: number): void {
      // A lookup that began before the revocation was committed must not bring the key back.
      if ((distrusted.get(familiar.id) ?? 0) > now) return
      met.delete(digest)
      met.set(digest, { familiar, until: now + cacheForMs })
      const [oldest] = met.keys()
      if (met.size > maxKeys && oldest !== undefined) met.delete(oldest)
    },

    /** For as long as the revoking transaction may still be open the key is looked up each time. */
    revoke(id: string, now: number): void {
      for (const [digest, { familiar }] of met) if (familiar.id === id) met.delete(digest)
      distrusted.set(id, now + revokedForMs)
    },

    /** While a key was revoked so lately, a lookup under way may already be out of date. */
    hasNoRecentRevocation(now: number): boolean {
      for (const [id, until] of distrusted) if (until <= now) distrusted.delete(id)
      return distrusted.size === 0
    },
  }
}

/** Longer than any transaction of a request lives. */
const revokedForMs = 60_000
