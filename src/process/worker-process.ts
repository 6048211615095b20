import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { type Connection, type ConnectionOptions, connect, type Database } from '../db/connection.ts'
import type { JobHandlers } from '../jobs/job-names.ts'
import { openQueue } from '../jobs/queue.ts'
import { type Intervals, watchSchedules } from '../jobs/schedules.ts'
import { startWorker } from '../jobs/worker.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { requireConfiguration } from './check-configuration.ts'
import { requireDatabaseUrl, requireMigrated } from './migration.ts'
import type { Service } from './run-until-stopped.ts'

type Jobs = {
  handlers: JobHandlers
  intervals: () => Promise<Intervals>
  /** Looks for work that no message announces. */
  watch(): { stop(): Promise<unknown> }
}
type Resources = {
  config: Config
  log: Logger
  clock: Clock
  createJobs(db: Database): Jobs
  onStatement?: ConnectionOptions['onStatement']
  /** Serves metrics and health of the process; returns how to stop it. */
  listen?(connection: Connection, check: Checks): Promise<() => Promise<void>>
}
type Checks = { database: () => Promise<void>; queue: () => Promise<void> }

/** A batch over a large table takes longer than a request may. */
const statementTimeoutMs = 300_000
const poolSize = 5
const closeTimeoutMs = 2_000

export async function startWorking(resources: Resources): Promise<Service> {
  const { config, log, clock, createJobs, onStatement, listen } = resources
  const url = requireDatabaseUrl(config, 'worker')
  const applicationName = 'membrane worker'
  const connection = connect({
    ...{ ...config.database, url, poolSize, statementTimeoutMs, applicationName, onStatement },
  })
  const { db, pool, close } = connection
  await requireMigrated(db)
  await requireConfiguration(db, config)
  const settings = { redisUrl: config.redisUrl, databaseUrl: url }
  const queue = openQueue(settings, log)
  const { handlers, intervals, watch: watchJobs } = createJobs(db)
  const worker = await startWorker({ settings, handlers, log })
  const jobs = watchJobs()
  const watch = watchSchedules({ db, queue, clock, intervals, log })
  const stopListening = await listen?.(connection, {
    database: async () => void (await pool.query('select')),
    queue: () => queue.ready(),
  })
  log.info('working', { queue: config.redisUrl === undefined ? 'postgres' : 'redis' })
  const leave = () => Promise.all([watch.stop(), queue.close(), stopListening?.()]).then(close)
  return {
    stop: async () => {
      const late = sleep(config.shutdownTimeoutMs, false, { ref: false })
      const finished = Promise.race([jobs.stop().then(() => true), late])
      const clean = (await worker.stop(config.shutdownTimeoutMs)) && (await finished)
      // A queue that is unreachable does not answer this either.
      await Promise.race([leave(), sleep(closeTimeoutMs, undefined, { ref: false })])
      return clean
    },
  }
}
