import { type ChildProcess, spawn } from 'node:child_process'
import type { Config } from '../config/config.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'
import { type SupervisedDatabase, superviseEmbeddedPostgres } from './database.ts'
import { migrateDatabase, type Prepare } from './migration.ts'
import { awaitReady } from './readiness.ts'
import type { Service } from './run-until-stopped.ts'
import { superviseChildren } from './supervisor.ts'
import { openTombstoneKey } from './tombstone-key.ts'

type Resources = {
  config: Config
  log: Logger
  ids: Ids
  /** Prints a line to the terminal. */
  print(line: string): void
  /** The path of the program, which is started again for the other roles. */
  entry: string
  environment: Readonly<Record<string, string | undefined>>
  prepare: Prepare
}

/** Extra time for a child to end by its own timeout before it is killed. */
const graceMs = 2_000

/** Starts the API and a worker as child processes, and an embedded database when DATABASE_URL is not set. */
export async function startAll(resources: Resources): Promise<Service> {
  const { config, log, print, ids } = resources
  const { dataDir } = config
  const key = config.records.tombstoneKey ?? (await openTombstoneKey(dataDir, ids))
  const embedded = config.database.url
    ? undefined
    : await superviseEmbeddedPostgres({ dataDir, log: print, logger: log })
  const url = config.database.url ?? embedded?.url ?? ''
  try {
    await migrateDatabase(url, config, log, resources.prepare)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  const environment = { ...resources.environment, MEMBRANE_TOMBSTONE_KEY: key }
  return superviseOn(url, embedded, { ...resources, environment })
}

function superviseOn(url: string, embedded: SupervisedDatabase | undefined, resources: Resources): Service {
  const { config, log, print } = resources
  const stopping = new AbortController()
  const children = superviseChildren({
    roles: ['api', 'worker'],
    launch: (role) => launch(role, url, resources),
    log,
    stopTimeoutMs: config.shutdownTimeoutMs + graceMs,
    onMessage: (message) => {
      if (isListening(message)) void announce(message.listening, resources, stopping.signal)
    },
  })
  const lost = embedded?.lost.then((reason) => `${reason}; see postgres.log in ${config.dataDir}`)
  const failed = Promise.race([children.gaveUp, ...(lost ? [lost] : [])])
  void failed.then((reason) => print(`Membrane stops: ${reason}.`))
  return {
    failed,
    stop: async () => {
      stopping.abort()
      const clean = await children.stop()
      // Last, so that the children can still store their work.
      await embedded?.stop()
      return clean
    },
    kill: children.kill,
  }
}

/** Detached: Ctrl-C goes to the whole terminal, and only this process should stop the children. */
function launch(role: string, url: string, { entry, environment }: Resources): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, entry, role], {
    env: { ...environment, DATABASE_URL: url },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    windowsHide: true,
  })
}

function isListening(message: unknown): message is { listening: string } {
  return typeof message === 'object' && message !== null && 'listening' in message
}

async function announce(url: string, { config, print }: Resources, signal: AbortSignal): Promise<void> {
  if (!(await awaitReady(url, signal))) return
  const console = config.console.isServed ? `\n  Console        ${url}/console` : ''
  print(
    `Membrane is ready.\n  API            ${url}${console}\n  Documentation  ${url}/docs\n  Ctrl-C stops it.`,
  )
}
