import type { TSchema } from 'typebox'
import { namedSchemas } from '../../../domain/schemas/schema-ref.ts'
import type { Keywords } from '../../../http/validation/schema-keywords.ts'
import { isJsonObject } from '../../../kernel/json-objects.ts'

/** Accepts the spelling of other programs: `CreatedAt` for `created_at`, null or '' for an absent value. */

/**
 * Renames the fields of a value to the names of the schema. Fields that the schema does not have stay, and free JSON
 * inside is not changed.
 */
export function normaliseNames(schema: TSchema, value: unknown): unknown {
  const { items, properties = {}, required = [] } = findVariant(schema, value)
  if (Array.isArray(value)) return items ? value.map((each) => normaliseNames(items, each)) : value
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const name = findName(key, properties)
    const property = properties[name]
    if (!property) return [[key, inner]]
    return !required.includes(name) && isNothing(property, inner)
      ? []
      : [[name, normaliseNames(property, inner)]]
  })
  return Object.fromEntries(members)
}

function findName(key: string, properties: Readonly<Record<string, TSchema>>): string {
  if (Object.hasOwn(properties, key)) return key
  const snake = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
  return Object.hasOwn(properties, snake) ? snake : key
}

function isNothing(schema: TSchema, value: unknown): boolean {
  const { enum: values, anyOf, type } = resolve(schema)
  if (value === '') return values !== undefined
  if (value !== null) return false
  return anyOf
    ? !anyOf.some((each) => resolve(each).type === 'null')
    : type !== undefined || values !== undefined
}

/** The schema of a value. In a union it is the variant with the `kind` of the value, or the only one that is an object. */
function findVariant(schema: TSchema, value: unknown): Keywords {
  const found = resolve(schema)
  if (!found.anyOf) return found
  const objects = found.anyOf.map(resolve).filter(({ type }) => type === 'object')
  if (!isJsonObject(value) || objects.length === 1) return objects[0] ?? {}
  const kind = value['kind'] ?? value['Kind']
  return (
    objects.find(({ properties }) => properties?.['kind'] && resolve(properties['kind']).const === kind) ?? {}
  )
}

function resolve(schema: TSchema): Keywords {
  const keywords: Keywords = schema
  const target = keywords.$ref === undefined ? undefined : namedSchemas[keywords.$ref]
  return target ? resolve(target) : keywords
}
