import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { type Config, readConfig } from './config/config.ts'
import type { Connection, Database } from './db/connection.ts'
import { pendingMigrations } from './db/migrator.ts'
import type { Checks } from './http/health.ts'
import { createAnnouncements } from './jobs/announcements.ts'
import { openQueue } from './jobs/queue.ts'
import { systemClock } from './kernel/clock.ts'
import { AppError } from './kernel/errors.ts'
import { createIds } from './kernel/ids.ts'
import { createLogger, type Logger } from './kernel/log.ts'
import { startAll } from './process/all.ts'
import { connectApi } from './process/api-database.ts'
import { startApiProcesses, startsProcesses } from './process/api-processes.ts'
import { watchConfiguration } from './process/check-configuration.ts'
import { checkStore } from './process/check-store.ts'
import { drain, serve } from './process/listen.ts'
import { runMcp } from './process/mcp-process.ts'
import { migrateDatabase, requireDatabaseUrl } from './process/migration.ts'
import { exitCodes, OperatorError } from './process/operator-error.ts'
import { runUntilStopped, type Service } from './process/run-until-stopped.ts'
import { joinSiblings, placeVariable } from './process/siblings.ts'
import { explainFailure } from './process/start-failure.ts'
import { startWorking } from './process/worker-process.ts'
import { checkLaws } from './store-laws.ts'
import { prepareDatabase } from './store-preparation.ts'

type Context = { config: Config; log: Logger }

const clock = systemClock
const ids = createIds(clock)
const write = (text: string): void => void process.stdout.write(text)
const print = (line: string): void => write(`${line}\n`)
/** The program of every process. */
const entry = join(import.meta.dirname, 'main.ts')

/** Each role returns the exit code of the process. */
const roles = {
  api: (context: Context) =>
    startsProcesses(context.config.http)
      ? runUntilStopped({ log: context.log, start: () => startSeveral(context) })
      : runService(context, () => startApi(context)),
  worker: (context: Context) => runService(context, () => startWorker(context)),
  migrate: async ({ config, log }: Context) => {
    await migrateDatabase(requireDatabaseUrl(config, 'migrate'), config, log, prepareDatabase)
    return exitCodes.stopped
  },
  // It has no deadline, because it waits for its child processes, which have one.
  all: (context: Context) => runUntilStopped({ log: context.log, start: () => startEverything(context) }),
  check: ({ config }: Context) => checkStore({ config, print, check: checkLaws }),
  mcp: ({ config }: Context) => runMcp({ config, args: process.argv.slice(3), entry, write }),
}

/** Runs the process in a role until it ends, and returns its exit code. */
export function runRole(name: string): Promise<number> {
  return run(name).catch(fail)
}

async function run(name: string): Promise<number> {
  const role = Object.entries(roles).find(([known]) => known === name)
  if (!role) throw new OperatorError(`The roles are ${Object.keys(roles).join(', ')}; ${name} is none.`, 2)
  const config = readConfig(process.env)
  const log = createLogger({
    level: config.logLevel,
    clock,
    bindings: { role: name, pid: process.pid },
    write,
  })
  process.on('uncaughtException', (err) => {
    log.fatal('a defect ends the process', { err })
    process.exit(exitCodes.failed)
  })
  return role[1]({ config, log })
}

function fail(error: unknown): number {
  const explained = explainFailure(error)
  if (!explained) {
    createLogger({ level: 'fatal', clock, write }).fatal('a defect ends the process', { err: error })
    return exitCodes.failed
  }
  process.stderr.write(`${explained.message}\n`)
  return explained.code
}

function runService({ config, log }: Context, start: () => Promise<Service>): Promise<number> {
  return runUntilStopped({ log, start, timeoutMs: config.shutdownTimeoutMs })
}

async function startWorker(context: Context): Promise<Service> {
  const { createBackground } = await import('./tenant-background.ts')
  const { instruments, tracer, onStatement, close } = await openTelemetry(context, 'worker')
  const { config } = context
  const service = await startWorking({
    ...{ ...context, clock, onStatement },
    createJobs: (connection, announcements) =>
      createBackground({ ...context, connection, clock, ids, instruments, tracer, announcements }),
    listen: async ({ db, pool, servers }, checks) => {
      instruments.watchPool(pool, 'jobs')
      if (config.tenants) instruments.watchServers(servers)
      if (config.metrics.workerPort === undefined) return async () => {}
      const app = await createWorkerApp(context, { db, pool, checks, instruments })
      await serve(app, {
        ...{ host: config.http.host, port: config.metrics.workerPort },
        variable: 'MEMBRANE_METRICS_PORT',
      })
      return () => drain(app)
    },
  })
  return withClose(service, close)
}

type Siblings = ReturnType<typeof joinSiblings>
type Instruments = Awaited<ReturnType<typeof openTelemetry>>['instruments']
type WorkerAppResources = Pick<Connection, 'db' | 'pool'> & { checks: Checks; instruments: Instruments }

/** The HTTP server of a worker, for metrics and health only. */
async function createWorkerApp({ config }: Context, { db, pool, checks, instruments }: WorkerAppResources) {
  const [{ createApp, room }, { createKeysService }, { scrapeRoutes }] = await Promise.all([
    import('./http/app.ts'),
    import('./keys/index.ts'),
    import('./metrics/index.ts'),
  ])
  const { authenticate } = createKeysService({ db, clock, ids })
  return createApp({
    ...{ config, pool, clock, ids, authenticate, checks, log: { level: config.logLevel } },
    rooms: [room(scrapeRoutes, { sources: [instruments], isPublic: config.metrics.isPublic })],
  })
}

/** The metrics of the process, and its traces if an endpoint for them is configured. */
async function openTelemetry({ config }: Context, role: string) {
  const { createInstruments } = await import('./telemetry/instruments.ts')
  const instruments = createInstruments()
  instruments.watchProcess()
  const { endpoint, ...settings } = config.tracing
  if (endpoint === undefined) return { instruments, close: async () => {} }
  const { startTracing, traceStatements } = await import('./telemetry/index.ts')
  const version = packageJson.version
  const { tracer, close } = startTracing({ endpoint, ...settings }, { role, version, instance: ids.random() })
  return { instruments, tracer, onStatement: traceStatements(tracer), close }
}

/** Sends the last traces before the process ends. */
function withClose(service: Service, close: () => Promise<void>): Service {
  return {
    ...service,
    stop: async () => {
      const clean = await service.stop()
      await close()
      return clean
    },
  }
}

async function startSeveral({ config, log }: Context): Promise<Service> {
  requireDatabaseUrl(config, 'api')
  const { processes } = config.http
  return startApiProcesses({ processes, stopTimeoutMs: config.shutdownTimeoutMs, log, clock })
}

/** Whichever process is asked for its metrics, it shows those of all. */
function showTogether(instruments: Instruments, { place, gather }: NonNullable<Siblings>): Instruments {
  instruments.labelProcess(place)
  return { ...instruments, render: async () => instruments.renderTogether(await gather()) }
}

async function startApi(context: Context): Promise<Service> {
  const { config, log } = context
  // Only this role imports them, because they take as long to load as everything else together.
  const [{ createApp }, { createServing }, watched] = await Promise.all([
    import('./http/app.ts'),
    import('./tenant-services.ts'),
    openTelemetry(context, 'api'),
  ])
  const { tracer, onStatement } = watched
  const place = process.env[placeVariable]
  const siblings = joinSiblings({ clock, place, metrics: watched.instruments.collect })
  const instruments = siblings ? showTogether(watched.instruments, siblings) : watched.instruments
  const url = requireDatabaseUrl(config, 'api')
  requireRootKey(config)
  const connection = connectApi({ config, log, url, onStatement })
  const { db, pool, replicas, positions, waiting, servers, close } = connection
  instruments.watchPool(pool, 'requests')
  if (replicas) instruments.watchReplicas(replicas)
  if (config.tenants) instruments.watchServers(servers)
  await replicas?.start()
  const configuration = await watchConfiguration(db, config)
  const queue = openQueue({ redisUrl: config.redisUrl, databaseUrl: url }, log)
  const announcements = createAnnouncements({ queue, clock, log })
  const serving = createServing({ config, connection, clock, ids, log, instruments, announcements })
  serving.services.storeReading.watchQueue(() => queue.count())
  let isStopping = false
  const app = await createApp({
    ...{ config, clock, ids, ...serving },
    pool: waiting,
    positions,
    countTogether: siblings?.count,
    ...{ tracer, onRequestCompleted: instruments.observeAnswer, openQueueAdapter: () => queue.show() },
    checks: {
      database: async () => void (await pool.query('select')),
      migrations: () => requireCurrent(db),
      configuration,
    },
    advisories: {
      ...{ queue: () => queue.ready(), ...replicas?.checks },
      ...(config.tenants ? { tenant_servers: servers.check } : {}),
    },
    isStopping: () => isStopping,
    log: { level: config.logLevel },
  })
  const listening = await serve(app, { host: config.http.host, port: config.http.port })
  process.send?.({ listening })
  const stop = async () => {
    isStopping = true
    await drain(app)
    await serving.finish()
    await announcements.finish()
    await queue.close()
    await close()
    return true
  }
  return withClose({ stop }, watched.close)
}

/** Only the root key can create tenants and work in all of them. */
function requireRootKey({ tenants, auth }: Config): void {
  if (!tenants || auth.rootKey !== undefined) return
  throw new OperatorError('MEMBRANE_TENANTS=on needs MEMBRANE_API_KEY.', exitCodes.refused)
}

async function requireCurrent(db: Database): Promise<void> {
  const pending = await pendingMigrations(db)
  if (pending.length > 0) throw new AppError('not_ready', 'The role migrate has not run for this version.')
}

function startEverything(context: Context): Promise<Service> {
  return startAll({
    ...context,
    ...{ ids, print },
    entry,
    environment: process.env,
    prepare: prepareDatabase,
  })
}
