import { type Config, readConfig } from './config.ts'
import { connect, type Database } from './db/connection.ts'
import { pendingMigrations } from './db/migrator.ts'
import { openQueue } from './jobs/queue.ts'
import { systemClock } from './kernel/clock.ts'
import { AppError } from './kernel/errors.ts'
import { createIds } from './kernel/ids.ts'
import { createLogger, type Logger } from './kernel/log.ts'
import { startAll } from './process/all.ts'
import { checkStore } from './process/checking.ts'
import { explainFailure } from './process/explanation.ts'
import { exitCodes, OperatorError } from './process/failure.ts'
import { migrateDatabase, requireDatabaseUrl } from './process/migration.ts'
import { runUntilStopped, type Service } from './process/run.ts'
import { drain, serve } from './process/serving.ts'
import { startWorking } from './process/working.ts'

type Context = { config: Config; log: Logger }

const clock = systemClock
const ids = createIds(clock)
const write = (text: string): void => void process.stdout.write(text)

/** Each answers the exit code. */
const roles = {
  api: (context: Context) => runService(context, () => startApi(context)),
  worker: (context: Context) => runService(context, () => startWorker(context)),
  migrate: async ({ config, log }: Context) => {
    await migrateDatabase(requireDatabaseUrl(config, 'migrate'), config, log, prepareDatabase)
    return exitCodes.stopped
  },
  // No deadline of its own: it waits for its children, whom it gives one.
  all: (context: Context) => runUntilStopped({ log: context.log, start: () => startEverything(context) }),
  check: ({ config }: Context) => checkStore({ config, say: (line) => write(`${line}\n`), check: checkLaws }),
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
  const { createJobs } = await import('./services.ts')
  return startWorking({ ...context, clock, createJobs: (db) => createJobs({ ...context, db, clock, ids }) })
}

async function startApi({ config, log }: Context): Promise<Service> {
  // Imported by the one role that needs them: they take as long to load as everything else.
  const [{ createApp }, { createServices, listRooms }] = await Promise.all([
    import('./http/app.ts'),
    import('./services.ts'),
  ])
  const url = requireDatabaseUrl(config, 'api')
  const { db, pool, close } = connect({ ...config.database, url, applicationName: 'membrane api' })
  const services = createServices({ config, db, clock, ids, log })
  const queue = openQueue({ redisUrl: config.redisUrl, databaseUrl: url }, log)
  let isStopping = false
  const app = await createApp({
    ...{ config, pool, clock, ids, authenticate: services.keys.authenticate, rooms: listRooms(services) },
    checks: {
      database: async () => void (await pool.query('select')),
      migrations: () => requireCurrent(db),
    },
    advisories: { queue: () => queue.ready() },
    isStopping: () => isStopping,
    log: { level: config.logLevel },
  })
  const listening = await serve(app, config.http.host, config.http.port)
  process.send?.({ listening })
  return {
    stop: async () => {
      isStopping = true
      await drain(app)
      await services.keys.settle()
      await services.access.settle()
      await queue.close()
      await close()
      return true
    },
  }
}

async function* checkLaws(db: Database) {
  const { createChecking, describeVerdict, isHeld } = await import('./checking/index.ts')
  for await (const verdict of createChecking({ db, clock }).check()) {
    yield { line: describeVerdict(verdict), isHeld: isHeld(verdict) }
  }
}

async function requireCurrent(db: Database): Promise<void> {
  const pending = await pendingMigrations(db)
  if (pending.length > 0) throw new AppError('not_ready', 'The role migrate has not run for this version.')
}

/** Loaded by the roles that prepare a database alone. */
async function prepareDatabase(db: Database, log: Logger): Promise<void> {
  const { ensureNearestIndex } = await import('./embeddings/index.ts')
  await ensureNearestIndex(db, log)
}

function startEverything(context: Context): Promise<Service> {
  return startAll({
    ...context,
    ids,
    say: (line) => write(`${line}\n`),
    entry: import.meta.filename,
    environment: process.env,
    prepare: prepareDatabase,
  })
}
