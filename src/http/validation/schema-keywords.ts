import type { TSchema } from 'typebox'

/**
 * The JSON Schema keywords that the product uses, all optional. TypeBox types a schema by how it was built;
 * validation, coercion and OpenAPI read it as plain JSON.
 */
export type Keywords = {
  $id?: string
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly TSchema[]
  allOf?: readonly TSchema[]
  properties?: Readonly<Record<string, TSchema>>
  patternProperties?: Readonly<Record<string, TSchema>>
  additionalProperties?: boolean | TSchema
  required?: readonly string[]
  items?: TSchema
  uniqueItems?: boolean
  minLength?: number
  minimum?: number
  exclusiveMinimum?: number
  format?: string
  default?: unknown
  description?: string
  examples?: readonly unknown[]
}

export function readKeywords(schema: TSchema): Keywords {
  return schema as Keywords
}

const maxKeyLength = 200
const maxPointerLength = 1_000

/**
 * The pointer to a member or an item (RFC 6901 §3). Long keys are cut, and a long pointer stays at what encloses the value:
 * a hundred pointers through long keys made an answer of a hundred times the body.
 */
export function joinPointer(pointer: string, key: string | number): string {
  if (pointer.length >= maxPointerLength) return pointer
  return `${pointer}/${String(key).slice(0, maxKeyLength).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
