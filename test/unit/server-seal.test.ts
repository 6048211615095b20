import { expect, it } from 'vitest'
import { createServerSeal } from '../../src/tenants/server-seal.ts'

const url = 'postgres://membrane:secret@db-7.example:5432/acme'
const one = 'abcdefghijkl'
const other = 'mnopqrstuvwx'
const seal = createServerSeal('a-key-of-the-tests')

it('the URL of a server is opened with its key, for its tenant, and looks different each time', () => {
  const sealed = [Buffer.alloc(12, 1), Buffer.alloc(12, 2)].map((nonce) => seal.seal(url, one, nonce))
  expect(sealed.map((each) => seal.open(each, one))).toEqual([url, url])
  expect(sealed[0]).not.toBe(sealed[1])
  for (const each of sealed) expect(Buffer.from(each, 'base64url').toString()).not.toContain('secret')
})

it('the URL of a server is not opened with another key, for another tenant, or when it was changed', () => {
  const sealed = seal.seal(url, one, Buffer.alloc(12, 1))
  const bytes = Buffer.from(sealed, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(30) ^ 1, 30)
  expect(createServerSeal('another-key-of-the-tests').open(sealed, one)).toBeUndefined()
  expect(seal.open(sealed, other)).toBeUndefined()
  expect(seal.open(bytes.toString('base64url'), one)).toBeUndefined()
})

it('the digest of a URL tells URLs apart, and differs with the key', () => {
  expect(seal.digest(url)).toBe(seal.digest(url))
  expect(seal.digest(`${url}2`)).not.toBe(seal.digest(url))
  expect(createServerSeal('another-key-of-the-tests').digest(url)).not.toBe(seal.digest(url))
})
