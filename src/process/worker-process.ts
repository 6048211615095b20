import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { type Connection, type ConnectionOptions, connect } from '../db/connection.ts'
import type { Poll } from '../jobs/poll.ts'
import { type Announcements, createAnnouncements } from '../jobs/queue/announcements.ts'
import type { JobHandler } from '../jobs/queue/job-message.ts'
import { openQueue } from '../jobs/queue/queue.ts'
import { startWorker } from '../jobs/queue/worker.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { requireConfiguration, watchClock, watchTombstones } from './database/check-configuration.ts'
import { requireDatabaseUrl } from './database/database-url.ts'
import { requireMigrated } from './database/migration.ts'
import type { Service } from './run-until-stopped.ts'

type Jobs = {
  handle: JobHandler
  /** Finds work that no message announces. */
  startPolls(): Poll
}
type Resources = {
  config: Config
  log: Logger
  clock: Clock
  /** No batch uses the connections of `heartbeats`, so what is asked there does not wait for one. */
  createJobs(connection: Connection, announcements: Announcements, heartbeats: Connection): Jobs
  onStatement?: ConnectionOptions['onStatement']
  /** Serves metrics and health of the process; returns how to stop it. */
  listen?(connection: Connection, check: Checks, heartbeats: Connection): Promise<() => Promise<void>>
}
type Checks = Readonly<Record<'clock' | 'database' | 'queue' | 'tombstones', () => Promise<void>>>

/** A batch over a large table takes longer than a request may. */
const statementTimeoutMs = 300_000
const poolSize = 5
/** Nine jobs and the polls share the connections, and a batch may keep one for seconds. A job that cannot wait loses its run. */
const connectionTimeoutMs = 60_000
const closeTimeoutMs = 2_000

export async function startWorking(resources: Resources): Promise<Service> {
  const { config, log, clock, createJobs, onStatement, listen } = resources
  const url = requireDatabaseUrl(config, 'worker')
  const applicationName = 'membrane worker'
  const settings = {
    ...config.database,
    url,
    statementTimeoutMs,
    applicationName,
    onStatement,
    tenants: config.tenants,
    log,
  }
  const connection = connect({ ...settings, poolSize, connectionTimeoutMs })
  const heartbeats = connect({ ...settings, poolSize: 1 })
  const { db } = connection
  await requireMigrated(db)
  await requireConfiguration(db, config)
  const tombstones = watchTombstones(heartbeats.db, config, log)
  const queueSettings = { redisUrl: config.redisUrl, databaseUrl: url }
  const queue = openQueue(queueSettings, log)
  const announcements = createAnnouncements({ queue, clock, log })
  const { handle, startPolls } = createJobs(connection, announcements, heartbeats)
  const worker = await startWorker({ settings: queueSettings, handle, log })
  queue
    .removeSchedulers()
    .catch((error) => log.warn('old schedules could not be removed from the queue', { err: error }))
  const polls = startPolls()
  const checks = {
    database: async () => void (await heartbeats.pool.query('select')),
    queue: () => queue.ready(),
    tombstones,
    clock: watchClock(heartbeats.db, clock),
  }
  const stopListening = await listen?.(connection, checks, heartbeats)
  process.send?.({ working: true })
  log.info('working', { queue: config.redisUrl === undefined ? 'postgres' : 'redis' })
  const leave = async () => {
    await announcements.finish()
    await Promise.all([queue.close(), stopListening?.()])
    await Promise.all([connection.close(), heartbeats.close()])
  }
  return {
    stop: async () => {
      const late = sleep(config.shutdownTimeoutMs, false, { ref: false })
      const finished = Promise.race([polls.stop().then(() => true), late])
      const clean = (await worker.stop(config.shutdownTimeoutMs)) && (await finished)
      // A queue that is unreachable does not answer this either.
      await Promise.race([leave(), sleep(closeTimeoutMs, undefined, { ref: false })])
      return clean
    },
  }
}
