import { createPostgresBackend, type JobsOptions, type Processor, Queue, Worker, withBackend } from 'bullmq'
import type { JobName, JobReport, Jobs } from './job-names.ts'

export type QueueSettings = {
  /** Redis keeps the queue when it is given, otherwise PostgreSQL does, in a schema beside ours. */
  redisUrl: string | undefined
  databaseUrl: string
  /** Of the Redis keys; PostgreSQL is divided by schema and database. */
  prefix?: string
}

const postgres = withBackend(createPostgresBackend)
const name = 'membrane'
const schema = 'bullmq'

/** Enough to look back on; kept for ever, finished jobs would fill the memory of a Redis. */
const retention = {
  removeOnComplete: { age: 7 * 86_400, count: 200 },
  removeOnFail: { age: 30 * 86_400, count: 1_000 },
} satisfies JobsOptions

/** A run that failed is repeated soon, for the next one by schedule may be a day away. */
export const jobOptions = {
  ...retention,
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
} satisfies JobsOptions

type Payload = Jobs[JobName]
export type Process = Processor<Payload, JobReport, JobName>

export function createQueue(settings: QueueSettings, migrate = false) {
  const options = { defaultJobOptions: jobOptions, streams: { events: { maxLen: 1_000 } } }
  if (settings.redisUrl === undefined) {
    const connection = postgresConnection(settings.databaseUrl, migrate, 2)
    return new postgres.Queue<Payload, JobReport, JobName>(name, { ...options, connection })
  }
  const connection = redisConnection(settings.redisUrl)
  return new Queue<Payload, JobReport, JobName>(name, { ...options, connection, prefix: prefixOf(settings) })
}

export function createWorker(settings: QueueSettings, process: Process, concurrency: number) {
  const options = { ...retention, concurrency, autorun: false, runRetryDelay: 2_000 }
  if (settings.redisUrl === undefined) {
    const connection = postgresConnection(settings.databaseUrl, false, concurrency + 1)
    return new postgres.Worker<Payload, JobReport, JobName>(name, process, { ...options, connection })
  }
  const connection = redisConnection(settings.redisUrl)
  return new Worker<Payload, JobReport, JobName>(name, process, {
    ...options,
    connection,
    prefix: prefixOf(settings),
  })
}

function postgresConnection(connectionString: string, migrate: boolean, max: number) {
  return {
    connectionString,
    schema,
    migrate,
    max,
    application_name: 'membrane queue',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  }
}

function redisConnection(url: string) {
  // BullMQ waits for a Redis that is away; with a limit its commands would fail instead.
  return { url, maxRetriesPerRequest: null }
}

function prefixOf({ prefix = 'membrane' }: QueueSettings): string {
  return prefix
}
