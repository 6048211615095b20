import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { createIds } from '../kernel/ids.ts'
import { createLogger } from '../kernel/log.ts'
import { readCommandArguments } from '../process/command-arguments.ts'
import { exitCodes, OperatorError } from '../process/operator-error.ts'
import { runUntilStopped, type Service } from '../process/run-until-stopped.ts'
import {
  awaitsEnvironment,
  launchEarlyApi,
  processNumberVariable,
  receiveEnvironment,
} from '../process/supervision/inheritance.ts'
import type { RoleContext } from './role-context.ts'

const clock = systemClock
const ids = createIds(clock)
const write = (text: string): void => void process.stdout.write(text)
const print = (line: string): void => write(`${line}\n`)

/** The program of every process. */
const entry = join(import.meta.dirname, '../main.ts')

/**
 * Each role returns the exit code of the process. It imports what it needs by itself: loading the modules of all roles would
 * take longer than anything else that a process does before it is ready.
 */
const roles = {
  api: async (context: RoleContext) => {
    const { startApiProcesses, startsProcesses } = await import('../process/supervision/api-processes.ts')
    const { config, log } = context
    const { processes } = config.http
    if (startsProcesses({ processes })) {
      const stopTimeoutMs = config.shutdownTimeoutMs
      await requireUrl(config, 'api')
      return runUntilStopped({
        log,
        start: async () => startApiProcesses({ processes, stopTimeoutMs, log, clock }),
      })
    }
    const { startApi } = await import('./api-role.ts')
    return runService(context, () => startApi(context))
  },
  worker: async (context: RoleContext) => {
    const { startWorker } = await import('./worker-role.ts')
    return runService(context, () => startWorker(context))
  },
  migrate: async ({ config, log }: RoleContext) => {
    const [{ migrateDatabase }, { prepareDatabase }] = await Promise.all([
      import('../process/database/migration.ts'),
      import('./store-preparation.ts'),
    ])
    await migrateDatabase(await requireUrl(config, 'migrate'), config, log, prepareDatabase)
    return exitCodes.stopped
  },
  // It has no deadline, because it waits for its child processes, which have one.
  all: (context: RoleContext, early: ChildProcess | undefined) =>
    runUntilStopped({ log: context.log, start: () => startEverything(context, early) }),
  check: async ({ config }: RoleContext) => {
    const [{ checkStore }, { checkLaws }] = await Promise.all([
      import('../process/database/check-store.ts'),
      import('./store-laws.ts'),
    ])
    return checkStore({ config, print, check: checkLaws })
  },
  mcp: async ({ config }: RoleContext, _: unknown, args: readonly string[]) => {
    const { runMcp } = await import('../process/mcp/mcp-process.ts')
    return runMcp({ config, args, entry, write })
  },
}

const usage = `Usage: node src/main.ts [ROLE]

  all       the API and the worker, with an embedded database unless DATABASE_URL is set (default)
  api       the API
  worker    the background work
  migrate   updates the tables of the database, and ends
  check     checks the store against every law, and ends
  mcp [--url URL] [--profile NAMES]
            MCP on standard input and output, in front of a running service

Everything else is set by environment variables: see .env.example.
`

/** Runs the process in the role that the arguments name until it ends, and returns its exit code. */
export function runRole([name = 'all', ...args]: readonly string[]): Promise<number> {
  // Before anything else is loaded: the API takes longer to load than all that this process does before it is needed.
  const early = name === 'all' && args.length === 0 ? launchEarlyApi(entry, process.env) : undefined
  return run(name, args, early).catch((error) => {
    early?.kill()
    return fail(error)
  })
}

async function run(name: string, args: readonly string[], early: ChildProcess | undefined): Promise<number> {
  if ([name, ...args].includes('--help')) {
    write(usage)
    return exitCodes.stopped
  }
  const role = Object.entries(roles).find(([known]) => known === name)
  if (!role)
    throw new OperatorError(
      `There is no role ${name}. The roles are ${Object.keys(roles).join(', ')}.`,
      exitCodes.refused,
    )
  if (name !== 'mcp') readCommandArguments({ args })
  // An API that was started before its database loads its modules meanwhile.
  if (awaitsEnvironment(process.env))
    await Promise.all([receiveEnvironment(process.env), import('./api-role.ts')])
  const { readConfig } = await import('../config/config.ts')
  const config = readConfig(process.env, name)
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
  return role[1]({ config, log, clock, ids, processNumber: process.env[processNumberVariable] }, early, args)
}

async function fail(error: unknown): Promise<number> {
  const { explainFailure } = await import('../process/start-failure.ts')
  const explained = explainFailure(error)
  if (!explained) {
    createLogger({ level: 'fatal', clock, write }).fatal('a defect ends the process', { err: error })
    return exitCodes.failed
  }
  process.stderr.write(`${explained.message}\n`)
  return explained.code
}

async function requireUrl(config: RoleContext['config'], role: string): Promise<string> {
  const { requireDatabaseUrl } = await import('../process/database/database-url.ts')
  return requireDatabaseUrl(config, role)
}

function runService({ config, log }: RoleContext, start: () => Promise<Service>): Promise<number> {
  return runUntilStopped({ log, start, timeoutMs: config.shutdownTimeoutMs })
}

async function startEverything(context: RoleContext, early: ChildProcess | undefined): Promise<Service> {
  const { startAll } = await import('../process/all.ts')
  // It is loaded while the database starts.
  const preparation = import('./store-preparation.ts')
  return startAll({
    ...context,
    early,
    entry,
    print,
    environment: process.env,
    prepare: async (...database) => (await preparation).prepareDatabase(...database),
  })
}
