import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

const algorithm = 'aes-256-ctr'
const tagBytes = 16
/** Longer than any cursor of row numbers: the length of a cursor would tell how many digits a number has. */
const paddedLength = 160

/**
 * Encrypts a cursor with the secret of the store. In clear, the numbers of rows would tell each client how much all others write.
 * The tag is computed from the text, so each text has an initialization vector of its own, and equal cursors are equal.
 */
export function sealCursor(secret: string, cursor: string): string {
  const text = cursor.padEnd(paddedLength)
  const tag = computeTag(secret, text)
  const cipher = createCipheriv(algorithm, deriveKey(secret), tag)
  return Buffer.concat([tag, cipher.update(text, 'latin1'), cipher.final()]).toString('base64url')
}

/** Undefined for a cursor that was not sealed with this secret. */
export function openCursor(secret: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length !== tagBytes + paddedLength) return undefined
  const tag = bytes.subarray(0, tagBytes)
  const decipher = createDecipheriv(algorithm, deriveKey(secret), tag)
  const text = Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]).toString('latin1')
  return timingSafeEqual(tag, computeTag(secret, text)) ? text.trimEnd() : undefined
}

function deriveKey(secret: string): Buffer {
  return createHmac('sha256', secret).update('key of cursors').digest()
}

function computeTag(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(`cursor ${text}`).digest().subarray(0, tagBytes)
}
