import type { TSchema } from 'typebox'
import { namedSchemas } from '../../domain/schemas/schema-ref.ts'
import { type Keywords, readKeywords } from '../validation/schema-keywords.ts'

/** Builds a value that is valid for the schema, for schemas that have no example of their own. */
export function buildExample(schema: TSchema): unknown {
  const { $ref: name, examples, anyOf, ...rest } = readKeywords(schema)
  if (examples?.[0] !== undefined) return examples[0]
  if (name !== undefined) return buildExample(namedSchemas[name] ?? {})
  if (anyOf?.[0]) return buildExample(anyOf[0])
  return rest.default ?? rest.const ?? rest.enum?.[0] ?? buildTypeExample(rest)
}

function buildTypeExample(schema: Keywords): unknown {
  switch (schema.type) {
    case 'object':
      return buildObjectExample(schema)
    case 'array':
      return schema.items ? [buildExample(schema.items)] : []
    case 'string':
      return schema.format === 'uuid' ? '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11' : 'text'
    case 'integer':
    case 'number':
      return schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1
    case 'boolean':
      return false
    default:
      return null
  }
}

function buildObjectExample({ properties = {}, required = [] }: Keywords): object {
  return Object.fromEntries(required.map((name) => [name, buildExample(properties[name] ?? {})]))
}
