import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { formatCanonicalJson } from '../../kernel/canonical-json.ts'

/** What a client asks: the name of the operation, and its input. */
export type Asked = { operation: string; input: unknown }

/**
 * Makes the digests by which a repeated request is recognised. An answer about several records stays after one of them is erased,
 * and a plain digest would confirm a guess of the erased text. One with the key of the tombstones confirms nothing; without
 * that key nothing can be erased.
 */
export function createFingerprints(key: string | undefined) {
  return {
    compute: (asked: Asked): string =>
      digest(key === undefined ? createHash('sha256') : createHmac('sha256', key), asked),
    /** Whether it is the digest that an earlier version, or a process without the key, has stored for this request. */
    isPlain: (stored: string, asked: Asked): boolean => stored === digest(createHash('sha256'), asked),
  }
}

function digest(hash: Hash | Hmac, { operation, input }: Asked): string {
  return hash.update(`${operation}\n${formatCanonicalJson(input) ?? ''}`).digest('base64url')
}
