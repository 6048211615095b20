import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { parseDriftRoots } from '../domain/drift-roots.ts'
import { parseDuration } from '../kernel/units.ts'
import { toMilliseconds } from './durations.ts'
import { type Environment, environmentSchema } from './environment.ts'
import type { Variables } from './joint-problems.ts'

export function findUnknownNames(given: Variables): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('MEMBRANE_') && !(name in environmentSchema.properties))
    .map((name) => `${name} is not a variable of this version`)
}

/**
 * Reads the values of all variables, with a problem for each that is wrong. Each variable is checked separately: for the whole object,
 * TypeBox stops at its eighth error.
 */
export function readValues(given: Variables): { problems: string[]; values?: Environment } {
  const schemas = Object.entries(environmentSchema.properties)
  // `Value.Default` does the same, but loading its module would make each start 3 percent longer.
  const known: Record<string, unknown> = Object.fromEntries(
    schemas.flatMap(([name, schema]) => ('default' in schema ? [[name, schema.default]] : [])),
  )
  const problems: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const schema = findSchema(name)
    if (!schema) continue
    known[name] = isInteger(schema) ? parseWholeNumber(value) : value
    // The message does not contain the value, which may be a secret in the wrong variable.
    if (!Check(schema, known[name]) || isMalformed(name, value) || isOutOfBounds(schema, value))
      problems.push(`${name} must be ${describeExpected(schema)}`)
  }
  return Check(environmentSchema, known) ? { problems, values: known } : { problems }
}

/** Whether the value is malformed in a way that no pattern can express. */
function isMalformed(name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  if (name === 'MEMBRANE_DRIFT_ROOTS') return parseDriftRoots(value) === undefined
  if (name === 'DATABASE_REPLICA_URL') return !splitUrls(value).every(isDatabaseUrl)
  return urls.has(name) && !URL.canParse(value)
}

/** The drivers throw for an invalid URL, in messages that quote it. */
const urls = new Set(['DATABASE_URL', 'REDIS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'MEMBRANE_PUBLIC_URL'])

export function splitUrls(text = ''): string[] {
  return text === '' ? [] : text.split(',').map((each) => each.trim())
}

function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
}

/** 0 and `never` have a meaning of their own. */
function isOutOfBounds(schema: TSchema, value: string | undefined): boolean {
  const { longest, shortest } = schema as { longest?: string; shortest?: string }
  const given = parseDuration(value ?? '')
  if (longest === undefined || !given || given === Number.POSITIVE_INFINITY) return false
  return given > toMilliseconds(longest) || given < toMilliseconds(shortest ?? '0')
}

function findSchema(name: string): TSchema | undefined {
  return Object.hasOwn(environmentSchema.properties, name)
    ? environmentSchema.properties[name as keyof Environment]
    : undefined
}

function describeExpected(schema: TSchema): string {
  return String(Reflect.get(schema, 'expects'))
}

function isInteger(schema: TSchema): boolean {
  return Reflect.get(schema, 'type') === 'integer'
}

/** Converts digits only: TypeBox would convert 1.5 to 1 and hide the mistake. */
function parseWholeNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text
}
