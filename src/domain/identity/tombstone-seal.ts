import { createHmac } from 'node:crypto'
import type { Payload } from '../payloads/payloads.ts'
import { writeCanonicalWording, writeEarlierWording, writeSummaryWording } from './tombstone-wording.ts'

export type Seal = ReturnType<typeof createSeal>

/**
 * Makes keyed digests of erased content. A plain hash of a short fact could be undone by guessing. The scope is part
 * of the digest, so that tombstones of one scope reveal nothing about another.
 */
export function createSeal(key: string | undefined) {
  if (key === undefined)
    return { keyId: null, digest: () => null, earlierDigest: () => null, summaryDigest: () => null }
  const computeDigest = (scope: string, wording: string | null) =>
    wording === null ? null : computeHmac(key, JSON.stringify([scope, wording]))
  return {
    /** Identifies the key of a tombstone and reveals nothing about the key. */
    keyId: computeHmac(key, 'membrane tombstone key').subarray(0, 8),
    digest: (scope: string, payload: Payload): Buffer | null =>
      computeDigest(scope, writeCanonicalWording(payload)),
    /** The digest in a tombstone of an earlier version; null where it is the same. */
    earlierDigest: (scope: string, payload: Payload): Buffer | null =>
      computeDigest(scope, writeEarlierWording(payload)),
    /** The digest of the summary of a captured text; null for a record that has none or says no more than it. */
    summaryDigest: (scope: string, payload: Payload): Buffer | null =>
      computeDigest(scope, writeSummaryWording(payload)),
  }
}

function computeHmac(key: string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
