import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'

/** Every schema with an `$id`, by that name: OpenAPI's components, and what the validators resolve. */
export const namedSchemas: Record<string, TSchema> = {}

/** Points at a named schema instead of copying it, and keeps its static type. */
export function ref<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  const name = (schema as { $id?: string }).$id
  if (name === undefined) throw new TypeError('only a schema with an $id can be referred to')
  const known = namedSchemas[name]
  // Two shapes under one name would make the answer of one route be checked and documented as another's.
  if (known !== undefined && known !== schema) throw new TypeError(`two schemas are named ${name}`)
  namedSchemas[name] = schema
  return Type.Unsafe<Static<T>>({ $ref: name })
}
