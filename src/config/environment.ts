import Type, { type Static } from 'typebox'
import { sensitivities } from '../domain/caller.ts'
import {
  amount,
  bearer,
  count,
  endpoint,
  flag,
  interval,
  oneOf,
  retention,
  secret,
  share,
  text,
  timeout,
  url,
} from './variables.ts'

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
    bearer('The root key, at least 16 characters. Without it only loopback is served.'),
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
  MEMBRANE_METRICS_PUBLIC: flag('Serve /metrics to anyone, without a key.'),
  MEMBRANE_METRICS_PORT: Type.Optional(
    Type.Integer({
      description:
        'Port on HOST at which a worker serves /metrics of its own, /livez and /readyz. Unset: it does not listen.',
      examples: ['9464'],
      minimum: 1,
      maximum: 65_535,
      expects: 'a port from 1 to 65535',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    url(
      'A collector that speaks OTLP over HTTP, to which traces are sent; the exporter also heeds OTEL_EXPORTER_OTLP_HEADERS and the others of its kind. Unset: no traces.',
      'http://localhost:4318',
      '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
    ),
  ),
  OTEL_SERVICE_NAME: Type.String({
    description: 'What the service is called in traces.',
    default: 'membrane',
    expects: 'text',
  }),
  OTEL_TRACES_SAMPLER_ARG: share('The share of the traces begun here that is sent.', '1'),
  MEMBRANE_MAX_EVENT_LOOP_DELAY: timeout('Above this mean delay the API sheds load.', '500ms'),
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
  MEMBRANE_STATEMENT_TIMEOUT: timeout('Longest statement of a request.', '30s'),
  MEMBRANE_LOCK_TIMEOUT: timeout('Longest wait for a row lock.', '10s'),
  MEMBRANE_REQUEST_TIMEOUT: timeout('Longest time to receive a whole request.', '60s'),
  MEMBRANE_SHUTDOWN_TIMEOUT: timeout('How long a process may take to finish its work after SIGTERM.', '10s'),
  MEMBRANE_IDEMPOTENCY_RETENTION: retention('How long the answer to an Idempotency-Key is kept.', '24h'),
  MEMBRANE_FORGOTTEN_RETENTION: retention(
    'How long a forgotten record can be restored before it is purged; 0 for not at all, `never` to purge nothing.',
    '30d',
  ),
  MEMBRANE_TOMBSTONE_KEY: Type.Optional(
    text(
      'Secret that marks erased content, at least 16 characters, the same for every process; keep it outside the database. `npm start` makes one in MEMBRANE_DATA_DIR. Without it nothing can be erased.',
      { minLength: 16 },
    ),
  ),
  MEMBRANE_RETENTION_MODE: Type.Enum(['l2', 'huber', 'elastic'], {
    description: 'Curve by which the retention of a memory falls since its last access.',
    default: 'huber',
    expects: 'one of l2, huber, elastic',
  }),
  MEMBRANE_RETENTION_HUBER_DELTA: Type.String({
    description: 'Half-lives after which `huber` goes on in a straight line.',
    default: '0.5',
    pattern: '^([0-9]|[1-5][0-9]|6[0-3])(\\.[0-9]{1,6})?$',
    expects: 'a number from 0 to less than 64 such as 0.5',
  }),
  MEMBRANE_RETENTION_ELASTIC_RHO: share(
    'The share of `elastic` that falls in a straight line and ends after two half-lives.',
    '0.3',
  ),
  MEMBRANE_LLM_MAX_SENSITIVITY: Type.Enum([...sensitivities], {
    description: 'Nothing more sensitive is sent to a model of somebody else, to chat or for vectors.',
    default: 'low',
    expects: `one of ${sensitivities.join(', ')}`,
  }),
  MEMBRANE_LLM_ENDPOINT: Type.Optional(
    endpoint(
      "A server that speaks OpenAI's chat completions, for consolidation: its base URL, or the full path of the call.",
    ),
  ),
  MEMBRANE_LLM_MODEL: Type.Optional(text('The model it is asked for.', { example: 'gpt-4o-mini' })),
  MEMBRANE_LLM_API_KEY: Type.Optional(secret('The key it asks for, if it does.')),
  MEMBRANE_LLM_TIMEOUT: timeout('How long it may take for one answer.', '30s'),
  MEMBRANE_LLM_CONCURRENCY: count('How many episodes it is asked about at once.', 4, 1, 64),
  MEMBRANE_LLM_MAX_TOKENS_PER_RUN: count(
    'Tokens after which a run asks it no more; 0 for no limit.',
    2_000_000,
    0,
    1_000_000_000,
  ),
  MEMBRANE_LLM_PROMPT_PRICE: amount('What a million tokens of questions cost, in any currency.'),
  MEMBRANE_LLM_COMPLETION_PRICE: amount('What a million tokens of answers cost, in the same.'),
  MEMBRANE_LLM_MAX_COST_PER_RUN: amount('Cost after which a run asks it no more; 0 for no limit.'),
  MEMBRANE_INGEST_LLM_ENABLED: flag('Let a chat model read what is captured; without it a rule does.'),
  MEMBRANE_INGEST_LLM_ENDPOINT: Type.Optional(
    endpoint("A server that speaks OpenAI's chat completions: its base URL, or the full path of the call."),
  ),
  MEMBRANE_INGEST_LLM_MODEL: Type.Optional(text('The model it is asked for.', { example: 'gpt-4o-mini' })),
  MEMBRANE_INGEST_LLM_API_KEY: Type.Optional(secret('The key it asks for, if it does.')),
  MEMBRANE_INGEST_LLM_TIMEOUT: timeout(
    'How long a capture waits for the model before the rule reads it.',
    '5s',
  ),
  MEMBRANE_EMBEDDING_PROVIDER: Type.Enum(['none', 'hash', 'openai'], {
    description:
      'Where vectors come from: nowhere, the built-in hashing of words and their parts, or a server.',
    default: 'hash',
    expects: 'one of none, hash, openai',
  }),
  MEMBRANE_EMBEDDING_ENDPOINT: Type.Optional(
    endpoint("A server that speaks OpenAI's embeddings: its base URL, or the full path of the call."),
  ),
  MEMBRANE_EMBEDDING_MODEL: Type.Optional(
    text('The model it is asked for.', { example: 'text-embedding-3-small' }),
  ),
  MEMBRANE_EMBEDDING_DIMENSIONS: Type.Optional(
    Type.Integer({
      description:
        'Length of a vector: 256 by `hash`, and what the model gives by `openai`, unless it is set.',
      examples: ['256'],
      minimum: 8,
      maximum: 4_096,
      expects: 'a whole number from 8 to 4096',
    }),
  ),
  MEMBRANE_EMBEDDING_API_KEY: Type.Optional(secret('The key the server asks for, if it does.')),
  MEMBRANE_EMBEDDING_TIMEOUT: timeout('How long the server may take for one answer.', '30s'),
  MEMBRANE_SELECTION_CONFIDENCE_THRESHOLD: share(
    'Below this lead of the best procedure over the next a retrieval says that it needs more.',
    '0.7',
  ),
  MEMBRANE_DECAY_INTERVAL: interval(
    'How often the `decay` job runs, until a schedule is set; 0 or `never` for never.',
    '1h',
  ),
  MEMBRANE_REVISED_RETENTION: retention(
    'How long what a revision replaced or retracted is kept before it is forgotten; `never` to keep it.',
    '90d',
  ),
  MEMBRANE_CONSOLIDATION_INTERVAL: interval(
    'How often the `consolidate` job runs, until a schedule is set; 0 or `never` for never.',
    '6h',
  ),
  MEMBRANE_COMPRESSION_AGE: retention(
    'How old an episode is when consolidation halves its salience; `never` to leave it.',
    '24h',
  ),
  MEMBRANE_DREAM_INTERVAL: interval(
    'How often the `dream` job runs, until a schedule is set; 0 or `never` for never.',
    '24h',
  ),
  MEMBRANE_DRIFT_ROOTS: Type.Optional(
    Type.String({
      description:
        'Directories beneath which a dream looks for the files that records name; as `scope=/directory` for one scope. Unset: it does not look.',
      examples: ['/srv/repository,docs=/srv/manual'],
      expects:
        'absolute directories between commas, each alone or as scope=/directory; not / itself, and without ..',
    }),
  ),
  MEMBRANE_COMPRESS_INTERVAL: interval(
    'How often the `compress` job runs, until a schedule is set; 0 or `never` for never.',
    '24h',
  ),
  MEMBRANE_PURGE_INTERVAL: interval('How often the `purge` job runs; 0 or `never` for never.', '24h'),
})

export type Environment = Static<typeof environmentSchema>
