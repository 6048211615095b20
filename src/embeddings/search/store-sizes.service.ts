import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../kernel/clock.ts'
import { countInScopes, measureSignatures } from './vector-search.queries.ts'

const keptMs = 10_000
const maxKept = 1_000

/** How many signatures are scanned in the time in which one record and its signature are looked up. */
const signaturesPerLookUp = 16
/** Limits for looking up every record of a few scopes instead of searching the nearest of all. */
const scopeScanLimits = { least: 500, most: 10_000, besideIndex: 2_000 }

type Measured = { signatures: number; isIndexed: boolean; at: number }

export type StoreSizes = ReturnType<typeof createStoreSizes>

/** Measures a store and its scopes. Only the choice of a search method depends on the sizes, so they may be a few seconds old. */
export function createStoreSizes({ db, clock }: { db: Database; clock: Clock }) {
  const counts = new Map<string, { count: number; at: number }>()
  let measured: Measured | undefined

  /** Whether every record of the scopes is looked up, instead of searching the nearest of all. */
  async function areSmall(scopes: readonly string[]): Promise<boolean> {
    const store = await measure()
    const share = store.isIndexed ? scopeScanLimits.besideIndex : store.signatures / signaturesPerLookUp
    const most = Math.round(Math.min(scopeScanLimits.most, Math.max(scopeScanLimits.least, share)))
    return (await countInScopesCached(scopes, most + 1)) <= most
  }

  async function countInScopesCached(scopes: readonly string[], most: number): Promise<number> {
    const key = JSON.stringify(scopes)
    const kept = counts.get(key)
    if (kept && isFresh(kept)) return kept.count
    const count = await countInScopes(db, scopes, most)
    if (counts.size >= maxKept) counts.clear()
    counts.set(key, { count, at: clock.now().getTime() })
    return count
  }

  async function measure(): Promise<Measured> {
    if (measured && isFresh(measured)) return measured
    measured = { ...(await measureSignatures(db)), at: clock.now().getTime() }
    return measured
  }

  function isFresh({ at }: { at: number }): boolean {
    const age = clock.now().getTime() - at
    return age >= 0 && age < keptMs
  }

  return { measure, areSmall }
}
