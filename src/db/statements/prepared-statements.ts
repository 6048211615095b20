import type pg from 'pg'
import { wrapQueries } from './query-wrapper.ts'

/** Above this number statements stay unnamed: each name keeps a plan in every connection until it closes. */
const maxStatements = 256

/**
 * Names every statement with parameters, so that PostgreSQL parses and plans it once per connection. Storing a record
 * is one statement over five tables, and planning it takes as long as running it: named, nearly twice as many records
 * are stored per second.
 */
export function prepareStatements(pool: pg.Pool): void {
  const names = new Map<string, string>()
  wrapQueries(pool, (query) => (text, values, ...rest) => {
    const name = Array.isArray(values) && values.length > 0 ? assignName(names, text) : undefined
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest)
  })
}

function assignName(names: Map<string, string>, text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const known = names.get(text)
  if (known !== undefined || names.size >= maxStatements) return known
  const name = `membrane_${names.size}`
  names.set(text, name)
  return name
}
