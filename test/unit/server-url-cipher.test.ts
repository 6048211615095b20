import { expect, it } from 'vitest'
import { createUrlCipher } from '../../src/tenants/databases/server-url-cipher.ts'

const url = 'postgres://membrane:secret@db-7.example:5432/acme'
const one = 'abcdefghijkl'
const other = 'mnopqrstuvwx'
const cipher = createUrlCipher('a-key-of-the-tests')

it('the URL of a server is opened with its key, for its tenant, and looks different each time', () => {
  const encrypted = [Buffer.alloc(12, 1), Buffer.alloc(12, 2)].map((nonce) => cipher.encrypt(url, one, nonce))
  expect(encrypted.map((each) => cipher.decrypt(each, one))).toEqual([url, url])
  expect(encrypted[0]).not.toBe(encrypted[1])
  for (const each of encrypted) expect(Buffer.from(each, 'base64url').toString()).not.toContain('secret')
})

it('the URL of a server is not opened with another key, for another tenant, or when it was changed', () => {
  const encrypted = cipher.encrypt(url, one, Buffer.alloc(12, 1))
  const bytes = Buffer.from(encrypted, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(30) ^ 1, 30)
  expect(createUrlCipher('another-key-of-the-tests').decrypt(encrypted, one)).toBeUndefined()
  expect(cipher.decrypt(encrypted, other)).toBeUndefined()
  expect(cipher.decrypt(bytes.toString('base64url'), one)).toBeUndefined()
})

it('the digest of a URL tells URLs apart, and differs with the key', () => {
  expect(cipher.digest(url)).toBe(cipher.digest(url))
  expect(cipher.digest(`${url}2`)).not.toBe(cipher.digest(url))
  expect(createUrlCipher('another-key-of-the-tests').digest(url)).not.toBe(cipher.digest(url))
})
