import { durationPattern, notNilPattern, pathPartPattern } from '../../domain/schemas/shapes.ts'

type Limits = { minLength?: number; format?: string }

/** Describes one broken keyword so that a client can correct the request. */
export function describeFault(keyword: string, params: object, schema: Limits, value?: unknown): string {
  const { pattern } = params as { pattern?: unknown }
  if (schema.format === 'date-time' && (keyword === 'type' || keyword === 'format'))
    return describeTime(value)
  return patternMessages.get(pattern) ?? describeKeyword(keyword, params, schema)
}

const patternMessages = new Map<unknown, string>([
  [notNilPattern, 'must not be the nil UUID'],
  [pathPartPattern, 'must not be . or .., which no URL can name'],
  [durationPattern, 'must be a whole number and a unit (ms, s, m, h or d), such as 30d'],
])

function describeKeyword(keyword: string, params: object, schema: Limits): string {
  const { limit, multipleOf, pattern, format, type } = params as Record<string, unknown>
  switch (keyword) {
    case 'type':
      return `must be ${nameTypes(type)}`
    case 'enum':
      return `must be one of ${listValues((params as { allowedValues: unknown[] }).allowedValues)}`
    case 'const':
      return `must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}`
    case 'exclusiveMaximum':
      return `must be less than ${limit}`
    case 'multipleOf':
      return `must be a multiple of ${multipleOf}`
    case 'minLength':
      return schema.minLength === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'pattern':
      return pattern === '\\S' ? 'must not be blank' : `must match ${pattern}`
    case 'format':
      return `must be ${nameFormat(String(format))}`
    default:
      return describeCount(keyword, limit)
  }
}

/** An unescaped plus sign in a query arrives as a space. */
function describeTime(value: unknown): string {
  const isUnescaped = typeof value === 'string' && /T\S{1,20} \d\d:\d\d$/.test(value)
  const hint = isUnescaped ? '; in a URL the sign + is written as %2B' : ''
  return `must be an RFC 3339 time with a zone, such as 2026-03-28T09:30:00.000Z${hint}`
}

function describeCount(keyword: string, limit: unknown): string {
  switch (keyword) {
    case 'minItems':
      return `must have at least ${limit} item${limit === 1 ? '' : 's'}`
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'uniqueItems':
      return 'must not repeat an item'
    case 'minProperties':
      return limit === 1 ? 'must have a field' : `must have at least ${limit} fields`
    case 'maxProperties':
      return `must have at most ${limit} fields`
    default:
      return 'is not valid'
  }
}

/** Names of one thing in different requests. A client that knows one request writes its name in another one. */
const namesOfOneThing = [
  ['scope', 'scopes', 'namespace', 'user_id'],
  ['tag', 'tags'],
  ['at', 'timestamp', 'occurred_at', 'created_at'],
  ['query', 'question', 'q', 'task', 'task_descriptor'],
  ['type', 'types', 'memory_types'],
  ['limit', 'top_k', 'root_limit'],
  ['reason', 'rationale'],
  ['text', 'content', 'memory'],
  ['since', 'after', 'created_after'],
]

/** A name that does not exist is often another word for one that does, so that one is named and all are listed. */
export function describeUnknown(
  what: 'field' | 'parameter',
  name: string,
  { all, listed }: { all: readonly string[]; listed: boolean },
): string {
  const meant = namesOfOneThing
    .filter((names) => names.includes(name))
    .flatMap((names) => all.filter((each) => names.includes(each)))[0]
  const hint = meant === undefined ? [] : [`did you mean ${meant}?`]
  const list = all.length === 0 || listed ? [] : [`known: ${all.join(', ')}`]
  return [`unknown ${what}`, [...hint, ...list].join(' ')].filter((part) => part !== '').join('; ')
}

export function listValues(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
}

export function nameTypes(types: unknown): string {
  return [types].flat().map(nameType).join(' or ')
}

function nameType(type: unknown): string {
  if (type === 'null') return 'null'
  return type === 'object' || type === 'array' || type === 'integer' ? `an ${type}` : `a ${type}`
}

function nameFormat(format: string): string {
  if (format === 'uuid') return 'a UUID'
  return `a valid ${format}`
}
