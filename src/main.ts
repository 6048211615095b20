import packageJson from '../package.json' with { type: 'json' }
import { type Config, readConfig } from './config/config.ts'
import { type Connection, connect, type Database } from './db/connection.ts'
import { pendingMigrations } from './db/migrator.ts'
import type { Checks } from './http/health.ts'
import { createAnnouncements } from './jobs/announcements.ts'
import { openQueue } from './jobs/queue.ts'
import { systemClock } from './kernel/clock.ts'
import { AppError } from './kernel/errors.ts'
import { createIds } from './kernel/ids.ts'
import { createLogger, type Logger } from './kernel/log.ts'
import { startAll } from './process/all.ts'
import { watchConfiguration } from './process/check-configuration.ts'
import { checkStore } from './process/check-store.ts'
import { drain, serve } from './process/listen.ts'
import { migrateDatabase, requireDatabaseUrl } from './process/migration.ts'
import { exitCodes, OperatorError } from './process/operator-error.ts'
import { runUntilStopped, type Service } from './process/run-until-stopped.ts'
import { explainFailure } from './process/start-failure.ts'
import { startWorking } from './process/worker-process.ts'

type Context = { config: Config; log: Logger }

const clock = systemClock
const ids = createIds(clock)
const write = (text: string): void => void process.stdout.write(text)

/** Each role returns the exit code of the process. */
const roles = {
  api: (context: Context) => runService(context, () => startApi(context)),
  worker: (context: Context) => runService(context, () => startWorker(context)),
  migrate: async ({ config, log }: Context) => {
    await migrateDatabase(requireDatabaseUrl(config, 'migrate'), config, log, prepareDatabase)
    return exitCodes.stopped
  },
  // It has no deadline, because it waits for its child processes, which have one.
  all: (context: Context) => runUntilStopped({ log: context.log, start: () => startEverything(context) }),
  check: ({ config }: Context) =>
    checkStore({ config, print: (line) => write(`${line}\n`), check: checkLaws }),
}

process.exit(await run(process.argv[2] ?? 'all').catch(fail))

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
  const { createJobs } = await import('./background.ts')
  const { instruments, tracer, onStatement, close } = await openTelemetry(context, 'worker')
  const { config } = context
  const service = await startWorking({
    ...{ ...context, clock, onStatement },
    createJobs: (db, announcements) =>
      createJobs({ ...context, db, clock, ids, instruments, tracer, announcements }),
    listen: async ({ db, pool }, checks) => {
      instruments.watchPool(pool, 'jobs')
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

async function startApi(context: Context): Promise<Service> {
  const { config, log } = context
  // Only this role imports them, because they take as long to load as everything else together.
  const [{ createApp }, { createServices, listRooms }, watched] = await Promise.all([
    import('./http/app.ts'),
    import('./services.ts'),
    openTelemetry(context, 'api'),
  ])
  const { instruments, tracer, onStatement } = watched
  const url = requireDatabaseUrl(config, 'api')
  const { db, pool, close } = connect({
    ...config.database,
    ...{ url, applicationName: 'membrane api', onStatement },
  })
  instruments.watchPool(pool, 'requests')
  const configuration = await watchConfiguration(db, config)
  const queue = openQueue({ redisUrl: config.redisUrl, databaseUrl: url }, log)
  const announcements = createAnnouncements({ queue, clock, log })
  const services = createServices({ config, db, clock, ids, log, instruments, announcements })
  services.storeReading.watchQueue(() => queue.count())
  let isStopping = false
  const app = await createApp({
    ...{ config, pool, clock, ids, authenticate: services.keys.authenticate, rooms: listRooms(services) },
    ...{ tracer, onRequestCompleted: instruments.observeAnswer, openQueueAdapter: () => queue.show() },
    checks: {
      database: async () => void (await pool.query('select')),
      migrations: () => requireCurrent(db),
      configuration,
    },
    advisories: { queue: () => queue.ready() },
    isStopping: () => isStopping,
    log: { level: config.logLevel },
  })
  const listening = await serve(app, { host: config.http.host, port: config.http.port })
  process.send?.({ listening })
  const stop = async () => {
    isStopping = true
    await drain(app)
    await services.keys.finishWrites()
    await services.access.flush()
    await announcements.finish()
    await queue.close()
    await close()
    return true
  }
  return withClose({ stop }, watched.close)
}

async function* checkLaws(db: Database) {
  const { createChecking, describeVerdict, isSatisfied } = await import('./checking/index.ts')
  for await (const verdict of createChecking({ db, clock }).check()) {
    yield { line: describeVerdict(verdict), isSatisfied: isSatisfied(verdict) }
  }
}

async function requireCurrent(db: Database): Promise<void> {
  const pending = await pendingMigrations(db)
  if (pending.length > 0) throw new AppError('not_ready', 'The role migrate has not run for this version.')
}

/** Only the roles that prepare a database load this module. */
async function prepareDatabase(db: Database, log: Logger): Promise<void> {
  const { ensureNearestIndex } = await import('./embeddings/index.ts')
  await ensureNearestIndex(db, log)
}

function startEverything(context: Context): Promise<Service> {
  return startAll({
    ...context,
    ids,
    print: (line) => write(`${line}\n`),
    entry: import.meta.filename,
    environment: process.env,
    prepare: prepareDatabase,
  })
}
