import { createCipheriv, createDecipheriv, createHmac, scryptSync } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts the URLs of servers, which contain passwords, so that a dump of the database shows none. The reference of the
 * tenant is verified too: a URL that was copied to the row of another tenant cannot be decrypted.
 */
export function createUrlCipher(key: string) {
  // A key that people choose can be guessed, so each guess is made slow.
  const derived = scryptSync(key, 'membrane tenant servers', 64)
  const encrypting = derived.subarray(0, 32)
  const digesting = derived.subarray(32)
  return {
    encrypt: (url: string, reference: string, nonce: Buffer): string => {
      const cipher = createCipheriv('aes-256-gcm', encrypting, nonce.subarray(0, nonceBytes))
      cipher.setAAD(Buffer.from(reference))
      const encrypted = Buffer.concat([cipher.update(url, 'utf8'), cipher.final()])
      return Buffer.concat([nonce.subarray(0, nonceBytes), cipher.getAuthTag(), encrypted]).toString(
        'base64url',
      )
    },
    /** Undefined for what was encrypted with another key, or for another tenant. */
    decrypt: (text: string, reference: string): string | undefined => {
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', encrypting, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(reference))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        const decrypted = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
        return Buffer.concat(decrypted).toString('utf8')
      } catch {
        return undefined
      }
    },
    /** Tells URLs apart. A plain digest of a URL could be undone by guessing its password. */
    digest: (url: string): string => createHmac('sha256', digesting).update(url).digest('base64url'),
  }
}
