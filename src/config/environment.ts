import Type, { type Static } from 'typebox'
import { sensitivities } from '../domain/caller.ts'
import { embeddingVariables } from './embedding-variables.ts'
import { growthVariables } from './growth-variables.ts'
import {
  amount,
  bearer,
  count,
  endpoint,
  flag,
  interval,
  oneOf,
  origin,
  retention,
  secret,
  share,
  text,
  timeout,
  url,
} from './variables.ts'

/** All variables that the product reads. `.env.example` is written from this list, and a test keeps them equal. */
export const environmentSchema = Type.Object({
  HOST: Type.String({
    description: 'Address on which the API listens.',
    default: '127.0.0.1',
    expects: 'an address or host name',
  }),
  PORT: count('Port on which the API listens; 0 for any free port.', 8080, 0, 65_535),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Lowest level of the log lines that are written.',
    'info',
  ),
  DATABASE_URL: Type.Optional(
    url(
      'PostgreSQL 15 or newer. Unset: `npm start` runs an embedded server.',
      'postgres://membrane@localhost:5432/membrane',
      '^postgres(ql)?://',
    ),
  ),
  ...growthVariables,
  REDIS_URL: Type.Optional(
    url(
      'Redis for the queue and for rate limits that all processes share. Unset: the queue is in PostgreSQL.',
      'redis://localhost:6379',
      '^rediss?://',
    ),
  ),
  MEMBRANE_DATA_DIR: Type.String({
    description: 'Folder of the data of the embedded database.',
    default: '.membrane',
    expects: 'a path',
  }),
  MEMBRANE_API_KEY: Type.Optional(
    bearer('The root key, at least 16 characters. Unset: only requests from this machine are served.'),
  ),
  MEMBRANE_TENANTS: oneOf(
    ['on', 'off'],
    'on: keys belong to tenants, whose data is in schemas of their own; see docs/tenants.md.',
    'off',
  ),
  MEMBRANE_TENANT_KEY: Type.Optional(
    bearer(
      'Secret that encrypts the URLs of tenants on servers of their own, at least 16 characters, the same for every process. Keep it outside the database. Unset: there can be no such tenants.',
    ),
  ),
  MEMBRANE_PUBLIC_URL: Type.Optional(
    origin('Where clients reach the API, behind a proxy. `/mcp` serves only this host and loopback names.'),
  ),
  MEMBRANE_ALLOW_ANONYMOUS: flag(
    'Serve requests without a key, even on an address that other machines can reach.',
  ),
  MEMBRANE_CONSOLE: flag('Serve the console, a web page for people, at /console.', 'true'),
  MEMBRANE_DEFAULT_SENSITIVITY: Type.Enum([...sensitivities], {
    description: 'Sensitivity of a new record that has none.',
    default: 'low',
    expects: `one of ${sensitivities.join(', ')}`,
  }),
  MEMBRANE_REQUIRE_IF_MATCH: flag('Refuse changes of a record without If-Match.'),
  MEMBRANE_TEXT_LANGUAGE: Type.String({
    description: 'PostgreSQL text search configuration for stemming; `simple` for no stemming.',
    default: 'english',
    pattern: '^[a-z_]{1,63}$',
    expects: 'the lower-case name of a text search configuration, such as english or simple',
  }),
  MEMBRANE_RATE_LIMIT: count('Requests per second and key; 0 for no limit.', 100, 0, 1_000_000),
  MEMBRANE_METRICS_PUBLIC: flag('Serve /metrics to anyone, without a key.'),
  MEMBRANE_METRICS_PORT: Type.Optional(
    Type.Integer({
      description:
        'Port on HOST on which a worker serves its own /metrics, /livez and /readyz. Unset: a worker does not listen.',
      examples: ['9464'],
      minimum: 1,
      maximum: 65_535,
      expects: 'a port from 1 to 65535',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    url(
      'Collector for traces, OTLP over HTTP. The exporter also reads OTEL_EXPORTER_OTLP_HEADERS and the other variables of OpenTelemetry. Unset: no traces.',
      'http://localhost:4318',
      '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
    ),
  ),
  OTEL_SERVICE_NAME: Type.String({
    description: 'Name of the service in traces.',
    default: 'membrane',
    expects: 'text',
  }),
  OTEL_TRACES_SAMPLER_ARG: share('Share of the traces started here that are sent (0 to 1).', '1'),
  MEMBRANE_MAX_EVENT_LOOP_DELAY: timeout(
    'Mean delay of the event loop above which the API sheds load.',
    '500ms',
  ),
  MEMBRANE_POOL_SIZE: count('Database connections of one API process.', 10, 1, 500),
  MEMBRANE_POOL_QUEUE: count(
    'Requests that may wait for a connection before the API sheds load.',
    200,
    1,
    100_000,
  ),
  MEMBRANE_PREPARED_STATEMENTS: flag(
    'Plan each statement once per connection. Set to false behind a pooler that shares connections by transaction.',
    'true',
  ),
  MEMBRANE_STATEMENT_TIMEOUT: timeout('Longest time of one SQL statement of a request.', '30s'),
  MEMBRANE_LOCK_TIMEOUT: timeout('Longest wait for a row lock.', '10s'),
  MEMBRANE_REQUEST_TIMEOUT: timeout('Longest time to receive a whole request.', '60s'),
  MEMBRANE_SHUTDOWN_TIMEOUT: timeout('Longest time to finish all work after SIGTERM.', '10s'),
  MEMBRANE_IDEMPOTENCY_RETENTION: retention('How long the answer to an Idempotency-Key is stored.', '24h'),
  MEMBRANE_FORGOTTEN_RETENTION: retention(
    'How long a forgotten record can be restored before it is purged; 0 to purge at once, `never` to purge nothing.',
    '30d',
  ),
  MEMBRANE_TOMBSTONE_KEY: Type.Optional(
    text(
      'Secret for the tombstones of erased content, at least 16 characters, the same for every process. Keep it outside the database. `npm start` creates one in MEMBRANE_DATA_DIR. Unset in any other role: erasing is refused; after any process has erased something, storing content is refused too.',
      { minLength: 16 },
    ),
  ),
  MEMBRANE_RETENTION_MODE: Type.Enum(['l2', 'huber', 'elastic'], {
    description: 'Curve by which the retention score of a record falls after its last access.',
    default: 'huber',
    expects: 'one of l2, huber, elastic',
  }),
  MEMBRANE_RETENTION_HUBER_DELTA: Type.String({
    description: 'Half-lives after which the curve `huber` continues as a straight line.',
    default: '0.5',
    pattern: '^([0-9]|[1-5][0-9]|6[0-3])(\\.[0-9]{1,6})?$',
    expects: 'a number from 0 to less than 64 such as 0.5',
  }),
  MEMBRANE_RETENTION_ELASTIC_RHO: share(
    'Share of the curve `elastic` that falls in a straight line and ends after two half-lives.',
    '0.3',
  ),
  MEMBRANE_LLM_MAX_SENSITIVITY: Type.Enum([...sensitivities], {
    description: 'Highest sensitivity that is sent to an external model, for chat or for vectors.',
    default: 'low',
    expects: `one of ${sensitivities.join(', ')}`,
  }),
  MEMBRANE_LLM_ENDPOINT: Type.Optional(
    endpoint(
      'Chat model for consolidation and dreams: a server with the chat completions API of OpenAI. Its base URL, or the full path of the call.',
    ),
  ),
  MEMBRANE_LLM_MODEL: Type.Optional(text('Name of the model on that server.', { example: 'gpt-4o-mini' })),
  MEMBRANE_LLM_API_KEY: Type.Optional(secret('Key for that server, if it needs one.')),
  MEMBRANE_LLM_TIMEOUT: timeout('Longest time for one answer.', '30s'),
  MEMBRANE_LLM_CONCURRENCY: count('Episodes that are sent to the model at the same time.', 4, 1, 64),
  MEMBRANE_LLM_MAX_TOKENS_PER_RUN: count(
    'Tokens after which a run sends no more requests; 0 for no limit.',
    2_000_000,
    0,
    1_000_000_000,
  ),
  MEMBRANE_LLM_PROMPT_PRICE: amount('Price of a million prompt tokens, in any currency.'),
  MEMBRANE_LLM_COMPLETION_PRICE: amount('Price of a million completion tokens, in the same currency.'),
  MEMBRANE_LLM_MAX_COST_PER_RUN: amount('Cost after which a run sends no more requests; 0 for no limit.'),
  MEMBRANE_INGEST_LLM_ENABLED: flag(
    'Let a chat model interpret captures; false: built-in rules interpret them.',
  ),
  MEMBRANE_INGEST_LLM_ENDPOINT: Type.Optional(
    endpoint('Server with the chat completions API of OpenAI: its base URL, or the full path of the call.'),
  ),
  MEMBRANE_INGEST_LLM_MODEL: Type.Optional(
    text('Name of the model on that server.', { example: 'gpt-4o-mini' }),
  ),
  MEMBRANE_INGEST_LLM_API_KEY: Type.Optional(secret('Key for that server, if it needs one.')),
  MEMBRANE_INGEST_LLM_TIMEOUT: timeout(
    'How long a capture waits for the model before the built-in rules interpret it.',
    '5s',
  ),
  ...embeddingVariables,
  MEMBRANE_SELECTION_CONFIDENCE_THRESHOLD: share(
    'Confidence of a selection below which a retrieval says that it needs more information.',
    '0.7',
  ),
  MEMBRANE_REGRET_SAMPLE: share(
    'Share of the questions that are asked again in the background over forgotten records, to judge what was forgotten; 0 for none.',
    '0.1',
  ),
  MEMBRANE_CONVERSATION_GAP: retention(
    'Pause between two messages that ends a session. Messages before the pause do not count as context of messages after it.',
    '1h',
  ),
  MEMBRANE_DECAY_INTERVAL: interval(
    'Interval of the `decay` job until a schedule is set by the API; 0 or `never` for no schedule.',
    '1h',
  ),
  MEMBRANE_REVISED_RETENTION: retention(
    'How long a superseded, merged or retracted record is kept before it is forgotten; `never` to keep it.',
    '90d',
  ),
  MEMBRANE_PLAN_RETENTION: retention('How long a plan of a job can be applied.', '7d'),
  MEMBRANE_HISTORY_RETENTION: retention(
    'How long the audit log and the history of importance are kept, by whole months; `never` to drop nothing. A value below 90 days, MEMBRANE_REVISED_RETENTION or MEMBRANE_FORGOTTEN_RETENTION is raised to the largest of these.',
    'never',
  ),
  MEMBRANE_CONSOLIDATION_INTERVAL: interval(
    'Interval of the `consolidate` job until a schedule is set by the API; 0 or `never` for no schedule.',
    '6h',
  ),
  MEMBRANE_COMPRESSION_AGE: retention(
    'Age at which consolidation halves the salience of an episode; `never` to leave it unchanged.',
    '24h',
  ),
  MEMBRANE_DREAM_INTERVAL: interval(
    'Interval of the `dream` job until a schedule is set by the API; 0 or `never` for no schedule.',
    '24h',
  ),
  MEMBRANE_DRIFT_ROOTS: Type.Optional(
    Type.String({
      description:
        'Directories in which a dream looks for the files that records mention; `scope=/directory` for one scope. Unset: a dream does not check files.',
      examples: ['/srv/repository,docs=/srv/manual'],
      expects:
        'absolute directories separated by commas, each alone or as scope=/directory; not / itself, and without ..',
    }),
  ),
  MEMBRANE_COMPRESS_INTERVAL: interval(
    'Interval of the `compress` job until a schedule is set by the API; 0 or `never` for no schedule.',
    '24h',
  ),
  MEMBRANE_PURGE_INTERVAL: interval('Interval of the `purge` job; 0 or `never` for no schedule.', '24h'),
})

export type Environment = Static<typeof environmentSchema>
