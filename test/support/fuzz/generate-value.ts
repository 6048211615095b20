import { resolveSchema, type Schema } from '../http/openapi-operations.ts'
import { hostileId, hostileNumber, hostileText, hostileTime, hostileValue, marker } from './hostile-values.ts'
import type { Random } from './random.ts'

/** Where the ids in paths and bodies and the lines of a stream come from. */
export type ValueSource = { random: Random; id: () => string; line: () => string }

/** Generates a value that mostly matches its schema, often at its limits. */
export function generateValue(schema: Schema, drawing: ValueSource, depth = 0): unknown {
  const { random } = drawing
  const { const: constant, enum: values, anyOf, type, ...rest } = resolveSchema(schema)
  if (constant !== undefined) return constant
  if (values) return random.pick(values)
  if (anyOf) return generateValue(random.pick(anyOf), drawing, depth)
  switch (type) {
    case 'object':
      return generateObject(rest, drawing, depth)
    case 'array':
      return generateArray(rest, drawing, depth)
    case 'string':
      return generateText(rest, drawing)
    case 'integer':
    case 'number':
      return generateNumber(rest, type, random)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return depth > 6 ? 'deep' : hostileValue(random)
  }
}

function generateObject(schema: Schema, drawing: ValueSource, depth: number): object {
  const { random } = drawing
  const { properties = {}, required = [], additionalProperties } = schema
  const share = random.pick([0.1, 0.4, 0.9]) / (1 + depth / 4)
  const named = Object.entries(properties)
    .filter(([name]) => required.includes(name) || random.chance(share))
    .map(([name, each]): [string, unknown] => [name, generateValue(each, drawing, depth + 1)])
  const free = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const extra = Array.from({ length: free ? random.below(4) : 0 }, (): [string, unknown] => [
    hostileText(random),
    generateValue(free ?? {}, drawing, depth + 1),
  ])
  return Object.fromEntries([...named, ...extra])
}

function generateArray(schema: Schema, drawing: ValueSource, depth: number): unknown[] {
  const { random } = drawing
  const { items = {}, minItems = 0, maxItems = 10_000 } = schema
  const many = depth < 3 && random.chance(0.03)
  const length = many ? Math.min(maxItems, 500) + random.below(2) : minItems + random.below(3)
  return Array.from({ length }, () => generateValue(items, drawing, depth + 1))
}

function generateText(
  { format, minLength = 0, maxLength = 100_000 }: Schema,
  { random, id }: ValueSource,
): string {
  if (format === 'uuid') return random.chance(0.8) ? id() : hostileId(random)
  if (format === 'date-time') return hostileTime(random)
  const edge = random.below(12)
  // Four bytes each: lengths are limited in characters, but stored and indexed in bytes.
  if (edge === 0 && maxLength <= 100_000) return '𝕬'.repeat(maxLength)
  if (edge === 1) return unlike(random, maxLength)
  if (edge === 2) return 'a'.repeat(minLength)
  if (edge < 6) return marker
  return [...hostileText(random)].slice(0, maxLength).join('').padEnd(minLength, 'x')
}

/** Text that does not compress: an index may accept a long text of one repeated letter and refuse this. */
function unlike(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + random.below(20_000))).join('')
}

function generateNumber(schema: Schema, type: 'integer' | 'number', random: Random): unknown {
  const { minimum = -1e308, maximum = 1e308, exclusiveMinimum } = schema
  const edge = random.below(6)
  if (edge === 0) return exclusiveMinimum ?? minimum
  if (edge === 1) return maximum
  if (edge === 2) return hostileNumber(random)
  const drawn = Math.max(minimum, 0) + random.unit() * Math.min(maximum, 100)
  return type === 'integer' ? Math.floor(drawn) : drawn
}
