import Type, { type Static, type TSchema } from 'typebox'
import Value from 'typebox/value'
import { sensitivities } from './kernel/caller.ts'
import { parseDuration } from './kernel/units.ts'

/** `expects` completes "must be …", so that a bad value is answered in the operator's words, not a schema's. */
const text = (description: string, more: { example?: string; minLength?: number } = {}) =>
  Type.String({
    description,
    ...(more.example === undefined ? {} : { examples: [more.example] }),
    ...(more.minLength === undefined ? {} : { minLength: more.minLength }),
    expects: more.minLength === undefined ? 'text' : `text of at least ${more.minLength} characters`,
  })
const url = (description: string, example: string, pattern: string) =>
  Type.String({ description, examples: [example], pattern, expects: `a URL such as ${example}` })
const oneOf = <const T extends string[]>(values: T, description: string, fallback: T[number]) =>
  Type.Enum(values, { description, default: fallback, expects: `one of ${values.join(', ')}` })
const flag = (description: string, fallback: 'true' | 'false' = 'false') =>
  Type.Enum(['true', 'false'], { description, default: fallback, expects: 'true or false' })
const duration = (description: string, fallback: string) =>
  Type.String({
    description,
    default: fallback,
    pattern: '^(0|[0-9]{1,9}(ms|s|m|h|d))$',
    expects: 'a duration such as 90s, 15m, 1h or 30d',
  })
const count = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Integer({
    description,
    default: fallback,
    minimum,
    maximum,
    expects: `a whole number from ${minimum} to ${maximum}`,
  })

/** Every variable the product reads. .env.example is written from this list, and a test keeps the two equal. */
export const environmentSchema = Type.Object({
  HOST: Type.String({
    description: 'Address the API listens on.',
    default: '127.0.0.1',
    expects: 'an address or host name',
  }),
  PORT: count('Port the API listens on; 0 takes a free one.', 8080, 0, 65_535),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Least severe log line written.',
    'info',
  ),
  DATABASE_URL: Type.Optional(
    url(
      'PostgreSQL 15 or newer. Without it `npm start` runs an embedded one.',
      'postgres://membrane@localhost:5432/membrane',
      '^postgres(ql)?://',
    ),
  ),
  REDIS_URL: Type.Optional(
    url(
      'Redis for the queue and shared rate limits. Without it the queue lives in PostgreSQL.',
      'redis://localhost:6379',
      '^rediss?://',
    ),
  ),
  MEMBRANE_DATA_DIR: Type.String({
    description: 'Where the embedded database keeps its data.',
    default: '.membrane',
    expects: 'a path',
  }),
  MEMBRANE_API_KEY: Type.Optional(
    text('The root key, at least 16 characters. Without it only loopback is served.', { minLength: 16 }),
  ),
  MEMBRANE_ALLOW_ANONYMOUS: flag('Serve without any key on an address that others can reach.'),
  MEMBRANE_DEFAULT_SENSITIVITY: Type.Enum([...sensitivities], {
    description: 'Sensitivity of a record that names none.',
    default: 'low',
    expects: `one of ${sensitivities.join(', ')}`,
  }),
  MEMBRANE_REQUIRE_IF_MATCH: flag('Refuse to change a record without an If-Match header.'),
  MEMBRANE_TEXT_LANGUAGE: Type.String({
    description: 'PostgreSQL text search configuration for stemming; `simple` for none.',
    default: 'english',
    pattern: '^[a-z_]{1,63}$',
    expects: 'the lower-case name of a text search configuration, such as english or simple',
  }),
  MEMBRANE_RATE_LIMIT: count('Requests per second and key; 0 for no limit.', 100, 0, 1_000_000),
  MEMBRANE_MAX_EVENT_LOOP_DELAY: duration('Above this mean delay the API sheds load.', '500ms'),
  MEMBRANE_POOL_SIZE: count('Database connections of one API process.', 10, 1, 500),
  MEMBRANE_POOL_QUEUE: count(
    'Requests that may wait for a connection before the API sheds load.',
    200,
    1,
    100_000,
  ),
  MEMBRANE_PREPARED_STATEMENTS: flag(
    'Plan each statement once per connection; false behind a pooler that shares connections by transaction.',
    'true',
  ),
  MEMBRANE_STATEMENT_TIMEOUT: duration('Longest statement of a request.', '30s'),
  MEMBRANE_LOCK_TIMEOUT: duration('Longest wait for a row lock.', '10s'),
  MEMBRANE_REQUEST_TIMEOUT: duration('Longest time to receive a whole request.', '60s'),
  MEMBRANE_SHUTDOWN_TIMEOUT: duration('How long a process may take to finish its work after SIGTERM.', '10s'),
  MEMBRANE_IDEMPOTENCY_RETENTION: duration('How long the answer to an Idempotency-Key is kept.', '24h'),
  MEMBRANE_FORGOTTEN_RETENTION: duration(
    'How long a forgotten record can be restored before it is purged; 0 for not at all.',
    '30d',
  ),
  MEMBRANE_TOMBSTONE_KEY: Type.Optional(
    text(
      'Secret that marks erased content, at least 16 characters, the same for every process; keep it outside the database. `npm start` makes one in MEMBRANE_DATA_DIR. Without it nothing can be erased.',
      { minLength: 16 },
    ),
  ),
  MEMBRANE_RETENTION_MODE: oneOf(
    ['l2', 'huber', 'elastic'],
    'Curve by which the retention of a memory falls since its last access.',
    'huber',
  ),
  MEMBRANE_DECAY_INTERVAL: duration(
    'How often the `decay` job runs, until a schedule is set; 0 for never.',
    '1h',
  ),
  MEMBRANE_REVISED_RETENTION: duration(
    'How long what a revision replaced or retracted is kept before it is forgotten.',
    '90d',
  ),
  MEMBRANE_PURGE_INTERVAL: duration('How often the `purge` job runs.', '24h'),
})

type Environment = Static<typeof environmentSchema>
export type Variables = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export type Config = ReturnType<typeof readConfig>

/** Blank means unset, so that a compose file can pass a variable through without setting it. */
export function readConfig(variables: Variables) {
  const given = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
  )
  const environment = parse(given)
  const problems = [...unknownNames(given), ...environment.problems, ...exposureProblems(given)]
  if (!environment.values || problems.length > 0) throw new ConfigError(problems)
  return shape(environment.values)
}

function unknownNames(given: Variables): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('MEMBRANE_') && !(name in environmentSchema.properties))
    .map((name) => `${name} is not a variable of this version`)
}

function exposureProblems(given: Variables): string[] {
  const host = given['HOST']
  if (!host || isLoopback(host)) return []
  if (given['MEMBRANE_API_KEY'] || given['MEMBRANE_ALLOW_ANONYMOUS'] === 'true') return []
  return [
    `HOST=${host} can be reached by others but no MEMBRANE_API_KEY is set; set one, or MEMBRANE_ALLOW_ANONYMOUS=true`,
  ]
}

/** Each variable on its own: asked about the whole, TypeBox stops at its eighth error. */
function parse(given: Variables): { problems: string[]; values?: Environment } {
  const known: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const schema = schemaOf(name)
    if (!schema) continue
    known[name] = isInteger(schema) ? wholeNumber(value) : value
    // The value itself is left out of the message: it may be a secret put into the wrong variable.
    if (!Value.Check(schema, known[name])) problems.push(`${name} must be ${expectationOf(schema)}`)
  }
  const candidate = Value.Default(environmentSchema, known)
  return Value.Check(environmentSchema, candidate) ? { problems, values: candidate } : { problems }
}

function schemaOf(name: string): TSchema | undefined {
  return Object.hasOwn(environmentSchema.properties, name)
    ? environmentSchema.properties[name as keyof Environment]
    : undefined
}

function expectationOf(schema: TSchema): string {
  return String(Reflect.get(schema, 'expects'))
}

function isInteger(schema: TSchema): boolean {
  return Reflect.get(schema, 'type') === 'integer'
}

/** TypeBox's own conversion would take 1.5 for 1 and so hide the mistake. */
function wholeNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text
}

function milliseconds(text: string): number {
  return parseDuration(text) ?? 0
}

function shape(values: Environment) {
  return Object.freeze({
    logLevel: values.LOG_LEVEL,
    dataDir: values.MEMBRANE_DATA_DIR,
    redisUrl: values.REDIS_URL,
    shutdownTimeoutMs: milliseconds(values.MEMBRANE_SHUTDOWN_TIMEOUT),
    database: Object.freeze({
      url: values.DATABASE_URL,
      poolSize: values.MEMBRANE_POOL_SIZE,
      preparedStatements: values.MEMBRANE_PREPARED_STATEMENTS === 'true',
      poolQueue: values.MEMBRANE_POOL_QUEUE,
      statementTimeoutMs: milliseconds(values.MEMBRANE_STATEMENT_TIMEOUT),
      lockTimeoutMs: milliseconds(values.MEMBRANE_LOCK_TIMEOUT),
    }),
    http: Object.freeze({
      host: values.HOST,
      port: values.PORT,
      rateLimit: values.MEMBRANE_RATE_LIMIT,
      requireIfMatch: values.MEMBRANE_REQUIRE_IF_MATCH === 'true',
      requestTimeoutMs: milliseconds(values.MEMBRANE_REQUEST_TIMEOUT),
      maxEventLoopDelayMs: milliseconds(values.MEMBRANE_MAX_EVENT_LOOP_DELAY),
      idempotencyRetentionMs: milliseconds(values.MEMBRANE_IDEMPOTENCY_RETENTION),
    }),
    auth: Object.freeze({
      rootKey: values.MEMBRANE_API_KEY,
      allowAnonymous: values.MEMBRANE_ALLOW_ANONYMOUS === 'true',
    }),
    records: Object.freeze({
      defaultSensitivity: values.MEMBRANE_DEFAULT_SENSITIVITY,
      textLanguage: values.MEMBRANE_TEXT_LANGUAGE,
      forgottenRetentionMs: milliseconds(values.MEMBRANE_FORGOTTEN_RETENTION),
      tombstoneKey: values.MEMBRANE_TOMBSTONE_KEY,
    }),
    cognition: Object.freeze({ retentionMode: values.MEMBRANE_RETENTION_MODE }),
    jobs: Object.freeze({
      intervals: Object.freeze({
        decay: milliseconds(values.MEMBRANE_DECAY_INTERVAL),
        purge: milliseconds(values.MEMBRANE_PURGE_INTERVAL),
      }),
      revisedRetentionMs: milliseconds(values.MEMBRANE_REVISED_RETENTION),
    }),
  })
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
