import { createPostgresBackend, type JobsOptions, type Processor, Queue, Worker, withBackend } from 'bullmq'
import { QueueClient } from '../../db/queue-client.ts'
import type { JobName } from '../job-names.ts'
import type { JobMessage, JobReport } from './job-message.ts'

export type QueueSettings = {
  /** Without it, PostgreSQL keeps the queue, in a schema beside ours. */
  redisUrl: string | undefined
  databaseUrl: string
  /** The prefix of the Redis keys. In PostgreSQL, the schema and the database separate queues. */
  prefix?: string
}

const postgres = withBackend(createPostgresBackend)
const name = 'membrane'
const schema = 'bullmq'

/** Enough history for the board. Without a limit, finished messages would fill the memory of Redis. */
const retention = {
  removeOnComplete: { age: 7 * 86_400, count: 200 },
  removeOnFail: { age: 30 * 86_400, count: 1_000 },
} satisfies JobsOptions

/** A message fails when the database is away, and is tried again soon: the next tick may be a day away. */
const jobOptions = {
  ...retention,
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
} satisfies JobsOptions

export type Process = Processor<JobMessage, JobReport, JobName>

export function createQueue(settings: QueueSettings, { migrate = false } = {}) {
  const options = { defaultJobOptions: jobOptions, streams: { events: { maxLen: 1_000 } } }
  if (settings.redisUrl === undefined) {
    const connection = createPostgresConnection({ url: settings.databaseUrl, migrate, max: 2 })
    return new postgres.Queue<JobMessage, JobReport, JobName>(name, { ...options, connection })
  }
  const redis = connectToRedis(settings.redisUrl, settings.prefix)
  return new Queue<JobMessage, JobReport, JobName>(name, { ...options, ...redis })
}

export function createWorker(settings: QueueSettings, process: Process, concurrency: number) {
  const options = { ...retention, concurrency, autorun: false, runRetryDelay: 2_000 }
  if (settings.redisUrl === undefined) {
    const connection = createPostgresConnection({ url: settings.databaseUrl, max: concurrency + 1 })
    return new postgres.Worker<JobMessage, JobReport, JobName>(name, process, { ...options, connection })
  }
  const redis = connectToRedis(settings.redisUrl, settings.prefix)
  return new Worker<JobMessage, JobReport, JobName>(name, process, { ...options, ...redis })
}

/** `migrate`: it creates the tables of the queue. */
type ConnectionOptions = { url: string; migrate?: boolean; max: number }

function createPostgresConnection({ url, migrate = false, max }: ConnectionOptions) {
  return {
    connectionString: url,
    schema,
    migrate,
    max,
    Client: QueueClient,
    application_name: 'membrane queue',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  }
}

function connectToRedis(url: string, prefix = 'membrane') {
  // BullMQ then waits until Redis is back. With a limit, its commands would fail instead.
  return { connection: { url, maxRetriesPerRequest: null }, prefix }
}
