import type { Caller } from '../domain/trust/caller.ts'

/**
 * How long this process may accept a key that another process has revoked, in milliseconds. A revocation in this process
 * takes effect at once.
 */
const cacheForMs = 5_000

/** The largest number of cached keys. Beyond it the key that was looked up longest ago is removed. */
const maxKeys = 10_000

export type CachedKey = { id: string; caller: Caller; expiresAt: number; lastUsedAt: number }

/** Caches keys for a few seconds by the digest of their secret, so that most requests need no query. */
export function createKeyCache() {
  const keys = new Map<string, { key: CachedKey; until: number }>()
  const revoked = new Map<string, number>()

  return {
    get(digest: string, now: number): CachedKey | undefined {
      const known = keys.get(digest)
      // A key that is kept for longer than possible was cached before the clock was set back.
      if (!known || (now < known.until && known.until <= now + cacheForMs)) return known?.key
      keys.delete(digest)
      return undefined
    },

    set(digest: string, key: CachedKey, now: number): void {
      // A lookup that started before the revocation was committed must not store the key again.
      if ((revoked.get(key.id) ?? 0) > now) return
      keys.delete(digest)
      keys.set(digest, { key, until: now + cacheForMs })
      const [oldest] = keys.keys()
      if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest)
    },

    /** The key is looked up each time while the revoking transaction may still be open. */
    revoke(id: string, now: number): void {
      for (const [digest, { key }] of keys) if (key.id === id) keys.delete(digest)
      revoked.set(id, now + revokedForMs)
    },

    /** After a recent revocation a running lookup may have read the key before it was revoked. */
    hasNoRecentRevocation(now: number): boolean {
      for (const [id, until] of revoked) if (until <= now) revoked.delete(id)
      return revoked.size === 0
    },
  }
}

/** Longer than any transaction of a request. */
const revokedForMs = 60_000
