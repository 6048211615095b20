import type { TSchema } from 'typebox'
import { readKeywords } from './schema-keywords.ts'

type Query = Readonly<Record<string, unknown>>

const integer = /^-?\d{1,15}$/
const decimal = /^-?\d{1,15}(\.\d{1,15})?$/

/**
 * Converts the text of a query string to the types of the schema and adds defaults. Text that is not of the type
 * stays text, and validation refuses it: TypeBox's Convert would make 5 of `5.5`, 0 of an empty text and 16 of
 * `0x10`.
 */
export function coerceQuery(schema: TSchema, query: Query): Record<string, unknown> {
  const coerced: Record<string, unknown> = { ...query }
  for (const [name, property] of Object.entries(readKeywords(schema).properties ?? {})) {
    const given = Object.hasOwn(query, name) ? query[name] : readKeywords(property).default
    if (given !== undefined) coerced[name] = coerce(property, given)
  }
  return coerced
}

function coerce(schema: TSchema, given: unknown): unknown {
  const { type, items } = readKeywords(schema)
  if (type === 'array') {
    const list = Array.isArray(given) ? given : [given]
    return items ? list.map((item) => coerce(items, item)) : list
  }
  return typeof given === 'string' ? coerceText(type, given) : given
}

function coerceText(type: string | undefined, text: string): unknown {
  if (type === 'integer') return integer.test(text) ? Number(text) : text
  if (type === 'number') return decimal.test(text) ? Number(text) : text
  if (type === 'boolean' && text === 'true') return true
  if (type === 'boolean' && text === 'false') return false
  return text
}
