import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { parseDriftRoots } from '../domain/drift-roots.ts'
import { parseDuration } from '../kernel/units.ts'
import { findJointProblems, type Variables } from './config-problems.ts'
import { parseInterval, toMilliseconds } from './durations.ts'
import { type Environment, environmentSchema } from './environment.ts'
import { ingestModel, readChatModel, readEmbedding } from './model-settings.ts'

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

/**
 * Reads the configuration or throws all problems at once. Blank means unset, so that a compose file can pass a
 * variable through without a value. Some problems concern one role only.
 */
export function readConfig(variables: Variables, role?: string) {
  const given = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
  )
  const environment = parse(given)
  const problems = [...findUnknownNames(given), ...environment.problems, ...findJointProblems(given, role)]
  if (!environment.values || problems.length > 0) throw new ConfigError(problems)
  return toConfig(environment.values)
}

function findUnknownNames(given: Variables): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('MEMBRANE_') && !(name in environmentSchema.properties))
    .map((name) => `${name} is not a variable of this version`)
}

/** Checks each variable separately: for the whole object, TypeBox stops at its eighth error. */
function parse(given: Variables): { problems: string[]; values?: Environment } {
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

function splitUrls(text = ''): string[] {
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

const bytesPerMegabyte = 1_048_576

function toConfig(values: Environment) {
  return freezeAll({
    logLevel: values.LOG_LEVEL,
    dataDir: values.MEMBRANE_DATA_DIR,
    redisUrl: values.REDIS_URL,
    tenants: values.MEMBRANE_TENANTS === 'on',
    tenantKey: values.MEMBRANE_TENANT_KEY,
    shutdownTimeoutMs: toMilliseconds(values.MEMBRANE_SHUTDOWN_TIMEOUT),
    database: {
      url: values.DATABASE_URL,
      replicaUrls: splitUrls(values.DATABASE_REPLICA_URL),
      maxReplicaLagMs: toMilliseconds(values.MEMBRANE_REPLICA_LAG),
      poolSize: values.MEMBRANE_POOL_SIZE,
      preparedStatements: values.MEMBRANE_PREPARED_STATEMENTS === 'true',
      statementTimeoutMs: toMilliseconds(values.MEMBRANE_STATEMENT_TIMEOUT),
      lockTimeoutMs: toMilliseconds(values.MEMBRANE_LOCK_TIMEOUT),
    },
    http: {
      host: values.HOST,
      processes: values.MEMBRANE_API_PROCESSES,
      port: values.PORT,
      publicUrl: values.MEMBRANE_PUBLIC_URL,
      rateLimit: values.MEMBRANE_RATE_LIMIT,
      requireIfMatch: values.MEMBRANE_REQUIRE_IF_MATCH === 'true',
      requestTimeoutMs: toMilliseconds(values.MEMBRANE_REQUEST_TIMEOUT),
      idempotencyRetentionMs: toMilliseconds(values.MEMBRANE_IDEMPOTENCY_RETENTION),
    },
    auth: {
      rootKey: values.MEMBRANE_API_KEY,
      allowAnonymous: values.MEMBRANE_ALLOW_ANONYMOUS === 'true',
    },
    console: { isServed: values.MEMBRANE_CONSOLE === 'true' },
    metrics: {
      isPublic: values.MEMBRANE_METRICS_PUBLIC === 'true',
      workerPort: values.MEMBRANE_METRICS_PORT,
    },
    tracing: {
      endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
      serviceName: values.OTEL_SERVICE_NAME,
      sampledShare: Number(values.OTEL_TRACES_SAMPLER_ARG),
    },
    records: {
      defaultSensitivity: values.MEMBRANE_DEFAULT_SENSITIVITY,
      textLanguage: values.MEMBRANE_TEXT_LANGUAGE,
      forgottenRetentionMs: toMilliseconds(values.MEMBRANE_FORGOTTEN_RETENTION),
      tombstoneKey: values.MEMBRANE_TOMBSTONE_KEY,
    },
    cognition: {
      retentionMode: values.MEMBRANE_RETENTION_MODE,
      retentionShape: {
        huberDelta: Number(values.MEMBRANE_RETENTION_HUBER_DELTA),
        elasticRho: Number(values.MEMBRANE_RETENTION_ELASTIC_RHO),
      },
    },
    driftRoots: parseDriftRoots(values.MEMBRANE_DRIFT_ROOTS ?? '') ?? [],
    embedding: readEmbedding(values),
    vectorMemory: { maxBytes: values.MEMBRANE_VECTOR_MEMORY * bytesPerMegabyte },
    textMemory: { maxBytes: values.MEMBRANE_TEXT_MEMORY * bytesPerMegabyte },
    queryEmbeddingTimeoutMs: toMilliseconds(values.MEMBRANE_QUERY_EMBEDDING_TIMEOUT),
    retrieval: {
      selectionThreshold: Number(values.MEMBRANE_SELECTION_CONFIDENCE_THRESHOLD),
      conversationGapMs: toMilliseconds(values.MEMBRANE_CONVERSATION_GAP),
    },
    regrets: { regretSample: Number(values.MEMBRANE_REGRET_SAMPLE) },
    models: {
      maxSensitivity: values.MEMBRANE_LLM_MAX_SENSITIVITY,
      ingest: ingestModel(values),
      chat: readChatModel(values),
    },
    consolidation: { compressionAgeMs: toMilliseconds(values.MEMBRANE_COMPRESSION_AGE) },
    jobs: {
      intervals: {
        decay: parseInterval(values.MEMBRANE_DECAY_INTERVAL),
        consolidate: parseInterval(values.MEMBRANE_CONSOLIDATION_INTERVAL),
        dream: parseInterval(values.MEMBRANE_DREAM_INTERVAL),
        compress: parseInterval(values.MEMBRANE_COMPRESS_INTERVAL),
        // A step of the dream; it runs by itself only on request.
        refresh_importance: 0,
        // Workers look for texts by themselves; a run starts only on request.
        embed: 0,
        simulation: 0,
        undo: 0,
        purge: parseInterval(values.MEMBRANE_PURGE_INTERVAL),
      },
      revisedRetentionMs: toMilliseconds(values.MEMBRANE_REVISED_RETENTION),
      planRetentionMs: toMilliseconds(values.MEMBRANE_PLAN_RETENTION),
      historyRetentionMs: toMilliseconds(values.MEMBRANE_HISTORY_RETENTION),
    },
  })
}

type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T

function freezeAll<T extends object>(members: T): Frozen<T> {
  for (const member of Object.values(members))
    if (typeof member === 'object' && member !== null) freezeAll(member)
  return Object.freeze(members) as Frozen<T>
}
