import type { Database } from '../db/connection.ts'
import { listPendingMigrations } from '../db/migrator.ts'
import { createApp } from '../http/app.ts'
import { createAnnouncements } from '../jobs/queue/announcements.ts'
import { openQueue } from '../jobs/queue/queue.ts'
import { AppError } from '../kernel/errors.ts'
import { connectApi } from '../process/database/api-database.ts'
import { watchClock, watchConfiguration, watchTombstones } from '../process/database/check-configuration.ts'
import { requireDatabaseUrl } from '../process/database/database-url.ts'
import { drain, serve } from '../process/listen.ts'
import type { Service } from '../process/run-until-stopped.ts'
import { joinSiblings } from '../process/supervision/siblings.ts'
import type { RoleContext } from './role-context.ts'
import { addClose, type Instruments, openTelemetry } from './role-telemetry.ts'
import { createServing } from './serving.ts'

type Siblings = ReturnType<typeof joinSiblings>

/** Serves the API. */
export async function startApi(context: RoleContext): Promise<Service> {
  const { config, log, clock, ids, processNumber } = context
  const watched = await openTelemetry(context, 'api')
  const { tracer, onStatement } = watched
  const siblings = joinSiblings({ clock, processNumber, metrics: watched.instruments.collect })
  const instruments = siblings ? showTogether(watched.instruments, siblings) : watched.instruments
  const url = requireDatabaseUrl(config, 'api')
  const connection = connectApi({ config, log, url, onStatement })
  const { db, pool, replicas, positions, waiting, servers, close } = connection
  instruments.watchPool(pool, 'requests')
  if (replicas) instruments.watchReplicas(replicas)
  if (config.tenants) instruments.watchServers(servers)
  await replicas?.start()
  const configuration = await watchConfiguration(db, config)
  const tombstones = watchTombstones(db, config, log)
  const queue = openQueue({ redisUrl: config.redisUrl, databaseUrl: url }, log)
  const announcements = createAnnouncements({ queue, clock, log })
  const serving = createServing({ config, connection, clock, ids, log, instruments, announcements })
  serving.services.storeReading.watchQueue(() => queue.count())
  let isStopping = false
  const app = await createApp({
    config,
    clock,
    ids,
    ...serving,
    pool: waiting,
    positions,
    countTogether: siblings?.count,
    tracer,
    onRequestCompleted: instruments.observeAnswer,
    openQueueAdapter: () => queue.show(),
    checks: {
      database: async () => void (await pool.query('select')),
      migrations: () => requireCurrent(db),
      configuration,
      tombstones,
    },
    advisories: {
      clock: watchClock(db, clock),
      queue: () => queue.ready(),
      ...replicas?.checks,
      ...(config.tenants ? { tenant_servers: servers.check } : {}),
    },
    isStopping: () => isStopping,
    log: { level: config.logLevel },
  })
  const listening = await serve(app, { host: config.http.host, port: config.http.port })
  process.send?.({ listening })
  // Not awaited: the database may be unavailable, and the API answers for that itself.
  void warnOfMissingMigrations(db, log)
  const stop = async () => {
    isStopping = true
    await drain(app)
    await serving.finish()
    await announcements.finish()
    await queue.close()
    await close()
    return true
  }
  return addClose({ stop }, watched.close)
}

/** The process that is asked for metrics shows those of all processes. */
function showTogether(
  instruments: Instruments,
  { processNumber, gather }: NonNullable<Siblings>,
): Instruments {
  instruments.labelProcess(processNumber)
  return { ...instruments, render: async () => instruments.renderTogether(await gather()) }
}

/** Without a probe on `/readyz`, only the log tells why no request is served. */
async function warnOfMissingMigrations(db: Database, log: RoleContext['log']): Promise<void> {
  const pending = await listPendingMigrations(db).catch(() => [])
  if (pending.length > 0) log.warn('the database lacks migrations; run the role migrate', { pending })
}

async function requireCurrent(db: Database): Promise<void> {
  const pending = await listPendingMigrations(db)
  if (pending.length === 0) return
  const message = 'The database lacks migrations: the role migrate has not run for this version.'
  throw new AppError('not_ready', message, { retryAfterSeconds: 5 })
}
