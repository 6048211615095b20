import Type from 'typebox'

/** `expects` completes "must be …", so that a problem is described in the words of an operator, not of a schema. */
export const text = (description: string, more: { example?: string; minLength?: number } = {}) =>
  Type.String({
    description,
    ...(more.example === undefined ? {} : { examples: [more.example] }),
    ...(more.minLength === undefined ? {} : { minLength: more.minLength }),
    expects: more.minLength === undefined ? 'text' : `text of at least ${more.minLength} characters`,
  })
export const url = (description: string, example: string, pattern: string) =>
  Type.String({ description, examples: [example], pattern, expects: `a URL such as ${example}` })
/** Memory content is sent to it. A user name or password in the URL would appear in logs, so neither is allowed. */
export const endpoint = (description: string) =>
  url(description, 'https://models.example/v1', '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$')
/** An address without a path. */
export const origin = (description: string) =>
  url(description, 'https://memory.example', '^https?://[^\\s/?#@]+/?$')
export const secret = (description: string) =>
  Type.String({
    description,
    pattern: '^[\\x21-\\x7e]+$',
    expects: 'printable ASCII characters without spaces, as a header can carry them',
  })
/** A key that clients can send as `Authorization: Bearer`. */
export const bearer = (description: string) =>
  Type.String({
    description,
    pattern: '^[\\x21-\\x7e]{16,512}$',
    expects: '16 to 512 printable ASCII characters without spaces, as a header can carry them',
  })
export const oneOf = <const T extends string[]>(values: T, description: string, fallback: T[number]) =>
  Type.Enum(values, { description, default: fallback, expects: `one of ${values.join(', ')}` })
export const flag = (description: string, fallback: 'true' | 'false' = 'false') =>
  Type.Enum(['true', 'false'], { description, default: fallback, expects: 'true or false' })

type Bounds = { longest: string; shortest?: string; canBeNever?: boolean }

const duration = (description: string, fallback: string, { longest, shortest, canBeNever = false }: Bounds) =>
  Type.String({
    description,
    default: fallback,
    pattern: `^(0|[0-9]{1,9}(ms|s|m|h|d)${canBeNever ? '|never' : ''})$`,
    ...(shortest === undefined ? {} : { shortest }),
    longest,
    expects: `a duration such as 90s, 15m, 1h or 30d, of at most ${longest}${shortest === undefined ? '' : ` and at least ${shortest}`}${canBeNever ? ', or never' : ''}`,
  })
/** A duration for timers and PostgreSQL, which count at most 24 days. */
export const timeout = (description: string, fallback: string) =>
  duration(description, fallback, { longest: '1d' })
/** It has the same limits as an interval that is set by the API. */
export const interval = (job: string, fallback: string) =>
  duration(
    `Interval of the \`${job}\` job until a schedule is set by the API; 0 or \`never\` for no schedule.`,
    fallback,
    { shortest: '10s', longest: '3650d', canBeNever: true },
  )
/** A moment this far from now is still within the calendars of PostgreSQL and RFC 3339. */
export const retention = (description: string, fallback: string) =>
  duration(description, fallback, { longest: '36500d', canBeNever: true })
export const share = (description: string, fallback: string) =>
  Type.String({
    description,
    default: fallback,
    pattern: '^(0(\\.[0-9]{1,6})?|1(\\.0{1,6})?)$',
    expects: 'a number from 0 to 1 such as 0.7',
  })
export const amount = (description: string) =>
  Type.String({
    description,
    default: '0',
    pattern: '^[0-9]{1,6}(\\.[0-9]{1,6})?$',
    expects: 'an amount such as 0.15 or 20',
  })
export const count = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Integer({
    description,
    default: fallback,
    minimum,
    maximum,
    expects: `a whole number from ${minimum} to ${maximum}`,
  })
