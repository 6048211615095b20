import { parseDriftRoots } from '../domain/drift-roots.ts'
import { parseInterval, toMilliseconds } from './durations.ts'
import type { Environment } from './environment.ts'
import { findJointProblems, type Variables } from './joint-problems.ts'
import { ingestModel, readChatModel, readEmbedding } from './model-settings.ts'
import { findUnknownNames, readValues, splitUrls } from './value-checks.ts'

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    const list = problems.map((problem) => `  - ${problem}`).join('\n')
    super(`The configuration has ${count}:\n${list}`)
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
  const environment = readValues(given)
  const problems = [...findUnknownNames(given), ...environment.problems, ...findJointProblems(given, role)]
  if (!environment.values || problems.length > 0) throw new ConfigError(problems)
  return toConfig(environment.values)
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
