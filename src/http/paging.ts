import { createHash } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { AppError } from '../kernel/errors.ts'
import { canonicalJson } from './canonical.ts'
import { findUnstorableValues } from './validation/body-inspection.ts'
import { listFaults } from './validation/validation.ts'

/** A digest of what a cursor belongs to: the caller and the filters of the list. */
export function fingerprintQuery(principal: string, filters: object): string {
  return digest(`${principal}\n${canonicalJson(filters)}`)
}

/** Encodes the position of the next page. The digest reveals a damaged cursor or one of another list. */
export function encodeCursor(fingerprint: string, position: object): string {
  const text = JSON.stringify(position)
  return Buffer.from(`${digest(`${fingerprint}\n${text}`)}${text}`).toString('base64url')
}

export function decodeCursor<T extends TSchema>(cursor: string, schema: T, fingerprint: string): Static<T> {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8')
  const text = decoded.slice(digestLength)
  if (decoded.slice(0, digestLength) !== digest(`${fingerprint}\n${text}`)) throw invalid()
  // Anyone can compute the digest: it finds mistakes. The schema keeps forged positions out of the query.
  const position = parseJson(text)
  if (findUnstorableValues(position).length > 0 || listFaults(schema, position).length > 0) throw invalid()
  return position as Static<T>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid()
  }
}

/** A Link header (RFC 8288): the same request with the next cursor. */
export function linkNext(url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}

const digestLength = 22

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, digestLength)
}

function invalid(): AppError {
  return new AppError('invalid_cursor', 'The cursor is damaged or belongs to another list.')
}
