import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  type ScryptOptions,
  scrypt,
} from 'node:crypto'
import type { Position } from './position.ts'
import type { ServerIdentity } from './server-identity.ts'

/** A block leaves no state behind, so both are made once: making one takes many times as long as using it. */
export type PositionCipher = { cipher: Cipheriv; decipher: Decipheriv; mark: Buffer }

/** Slow, because much of an identity is the time of its creation, which could be guessed. */
export const keyCost: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 }
const keyBytes = 32
const markBytes = 4
const algorithm = 'aes-256-ecb'
const blockBytes = 16

export function createPositionCipher(
  { cluster, database }: ServerIdentity,
  cost = keyCost,
): Promise<PositionCipher> {
  return new Promise((resolve, reject) => {
    scrypt(`${cluster} ${database}`, 'membrane position', keyBytes + markBytes, cost, (error, derived) => {
      if (error) reject(error)
      else resolve(openCipher(derived))
    })
  })
}

function openCipher(derived: Buffer): PositionCipher {
  const key = derived.subarray(0, keyBytes)
  return {
    cipher: createCipheriv(algorithm, key, null).setAutoPadding(false),
    decipher: createDecipheriv(algorithm, key, null).setAutoPadding(false),
    mark: derived.subarray(keyBytes),
  }
}

const prefix = 'p1.'
const tokenPattern = /^p1\.[A-Za-z0-9_-]{21}[AQgw]$/

export function isPositionToken(text: string): boolean {
  return tokenPattern.test(text)
}

/**
 * Writes a position as one encrypted block: in clear it would tell each client how much all others write. Equal
 * positions have equal tokens, which tells nothing more.
 */
export function encryptPosition({ cipher, mark }: PositionCipher, { timeline, lsn }: Position): string {
  const block = Buffer.alloc(blockBytes)
  block.writeBigUInt64BE(lsn, 0)
  block.writeUInt32BE(timeline, 8)
  mark.copy(block, 12)
  return `${prefix}${cipher.update(block).toString('base64url')}`
}

/** Undefined for a token of another database, or one that this service did not write. */
export function decryptPosition({ decipher, mark }: PositionCipher, token: string): Position | undefined {
  const encrypted = Buffer.from(token.slice(prefix.length), 'base64url')
  // A part of a block would be kept for the next token.
  if (encrypted.length !== blockBytes) return undefined
  const block = decipher.update(encrypted)
  if (!block.subarray(12).equals(mark)) return undefined
  return { lsn: block.readBigUInt64BE(0), timeline: block.readUInt32BE(8) }
}
