import { createHash } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { formatCanonicalJson } from '../../kernel/canonical-json.ts'
import { AppError } from '../../kernel/errors.ts'
import { listStoringFaults } from '../validation/validation.ts'

/** A digest of everything that a cursor belongs to: the caller and the filters of the list. */
export function computeQueryFingerprint(principal: string, filters: object): string {
  return digest(`${principal}\n${formatCanonicalJson(filters)}`)
}

/** Encodes the position of the next page. The digest reveals a damaged cursor or one of another list. */
export function encodeCursor(fingerprint: string, position: object): string {
  const text = JSON.stringify(position)
  return Buffer.from(`${digest(`${fingerprint}\n${text}`)}${text}`).toString('base64url')
}

export function decodeCursor<T extends TSchema>(cursor: string, schema: T, fingerprint: string): Static<T> {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8')
  const text = decoded.slice(digestLength)
  if (decoded.slice(0, digestLength) !== digest(`${fingerprint}\n${text}`)) throw createCursorError()
  // Anyone can compute the digest: it finds mistakes. The schema keeps forged positions out of the query.
  const position = parseJson(text)
  if (listStoringFaults(schema, position).length > 0) throw createCursorError()
  return position as Static<T>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw createCursorError()
  }
}

const digestLength = 22

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, digestLength)
}

export function createCursorError(): AppError {
  return new AppError('invalid_cursor', 'The cursor is damaged or belongs to another list.')
}
