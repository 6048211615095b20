import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from './clock.ts'

export type Ids = {
  /** A time-ordered UUID: ids of one time are close in an index, so inserts touch few pages. */
  next(): string
  /** An unguessable token with `bytes` of entropy, safe in a header or a URL. */
  secret(bytes: number): string
  /** A random id for things that are not stored under it, such as a request. */
  random(): string
}

export function createIds(clock: Clock): Ids {
  const draw = createEntropy()
  return {
    next: () => createUuidV7(clock.now().getTime(), draw()),
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
    random: () => randomUUID(),
  }
}

const entropyBytes = 10
const drawnAtOnce = 256

/** Random bytes for many ids: asking the system for the bytes of each id takes longer than writing the id. */
function createEntropy(): () => Uint8Array {
  let drawn = new Uint8Array()
  let used = 0
  return () => {
    if (used === drawn.length) {
      drawn = randomBytes(drawnAtOnce * entropyBytes)
      used = 0
    }
    used += entropyBytes
    return drawn.subarray(used - entropyBytes, used)
  }
}

/** RFC 9562 §5.7: 48 bits of Unix milliseconds, version and variant, the rest random. */
export function createUuidV7(milliseconds: number, entropy: Uint8Array): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(milliseconds, 0, 6)
  bytes.set(entropy.subarray(0, entropyBytes), 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return formatUuid(bytes)
}

/** Below all ids of records: where a walk in the order of ids begins. No record may have it. */
export const nilUuid = '00000000-0000-0000-0000-000000000000'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether the whole text is a UUID, of any version. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Every UUID that a text contains, in lower case. */
export function listUuids(text: string): string[] {
  return text.match(uuids)?.map((id) => id.toLowerCase()) ?? []
}

const bytesOfUuid = 16
const digits = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const hyphen = '-'.charCodeAt(0)
/** Where the digits of each byte stand in the text. */
const digitPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const characters = new Array<number>(36).fill(hyphen)

/**
 * Writes the 16 bytes of a UUID as text. A question asks for hundreds of ids, and joining strings would take several
 * times as long.
 */
export function formatUuid(bytes: Uint8Array): string {
  for (let at = 0; at < bytesOfUuid; at++) {
    const byte = bytes[at] as number
    const place = digitPlaces[at] as number
    characters[place] = digits[byte >>> 4] as number
    characters[place + 1] = digits[byte & 15] as number
  }
  return String.fromCharCode(...characters)
}

/** Reads UUIDs that come one behind the other. */
export function unpackIds(bytes: Buffer | null | undefined): string[] {
  const ids: string[] = []
  for (let at = 0; bytes && at < bytes.length; at += bytesOfUuid) {
    ids.push(formatUuid(bytes.subarray(at, at + bytesOfUuid)))
  }
  return ids
}
