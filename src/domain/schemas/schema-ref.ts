import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'

/**
 * Every schema with an `$id`, by that name. OpenAPI lists them as components and the validators resolve them.
 */
export const namedSchemas: Record<string, TSchema> = {}

/** Refers to a named schema instead of copying it, and keeps its static type. */
export function ref<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  const name = (schema as { $id?: string }).$id
  if (name === undefined) throw new TypeError('only a schema with an $id can be referred to')
  const known = namedSchemas[name]
  // Two schemas under one name would validate and document one route by the schema of another.
  if (known !== undefined && known !== schema) throw new TypeError(`two schemas are named ${name}`)
  namedSchemas[name] = schema
  return Type.Unsafe<Static<T>>({ $ref: name })
}

/** TypeBox omits the type of an enum. Generated clients are better with it, and Gemini refuses a list of tools without it. */
export function inferEnumType({ type, enum: values }: { readonly [keyword: string]: unknown }) {
  if (!Array.isArray(values) || type !== undefined) return {}
  if (values.every((value) => typeof value === 'string')) return { type: 'string' }
  return values.every(Number.isInteger) ? { type: 'integer' } : {}
}
