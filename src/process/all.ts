import type { ChildProcess } from 'node:child_process'
import type { Config } from '../config/config.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'
import type { Prepare } from './database/migration.ts'
import { isListening } from './listen.ts'
import { awaitReady } from './readiness.ts'
import type { Service } from './run-until-stopped.ts'
import { type SupervisedDatabase, superviseEmbeddedPostgres } from './supervision/embedded-database.ts'
import { launchRole, sendEnvironment } from './supervision/inheritance.ts'
import { superviseChildren } from './supervision/supervisor.ts'
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
  /** An API that waits for its database. */
  early: ChildProcess | undefined
}

/** Starts the API and a worker as child processes, and an embedded database when DATABASE_URL is not set. */
export async function startAll(resources: Resources): Promise<Service> {
  const { config, ids, early } = resources
  // Several processes of the API are started by one that loads little.
  if (config.http.processes > 1) early?.kill()
  // The first `fetch` of a process loads its client, which the last step of the start would wait for.
  void fetch('data:,')
  const key = config.records.tombstoneKey ?? (await openTombstoneKey(config.dataDir, ids))
  const { url, embedded } = await openStore(resources)
  return supervise(resources, { MEMBRANE_TOMBSTONE_KEY: key, DATABASE_URL: url }, embedded)
}

/** Starts the embedded database if there is no other, and brings the tables up to date. */
async function openStore({ config, log, print, prepare }: Resources) {
  const { dataDir } = config
  // It is loaded while the database starts.
  const migration = import('./database/migration.ts')
  const embedded = config.database.url
    ? undefined
    : await superviseEmbeddedPostgres({ dataDir, log: print, logger: log })
  const url = config.database.url ?? embedded?.url ?? ''
  try {
    const { migrateDatabase } = await migration
    await migrateDatabase(url, config, log, prepare)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  return { url, embedded }
}

function supervise(
  resources: Resources,
  found: Readonly<Record<string, string>>,
  embedded: SupervisedDatabase | undefined,
): Service {
  const { config, log, print, entry, environment, early } = resources
  const stopping = new AbortController()
  let waiting = early?.connected && !early.killed ? early : undefined
  function launch(role: string): ChildProcess {
    if (role !== 'api' || !waiting) return launchRole(entry, role, { ...environment, ...found })
    const child = waiting
    waiting = undefined
    sendEnvironment(child, found)
    return child
  }
  const children = superviseChildren({
    roles: ['api', 'worker'],
    launch,
    log,
    stopTimeoutMs: config.shutdownTimeoutMs,
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

async function announce(url: string, { config, print }: Resources, signal: AbortSignal): Promise<void> {
  if (!(await awaitReady(url, signal))) return
  const console = config.console.isServed ? `\n  Console        ${url}/console` : ''
  print(
    `Membrane is ready.\n  API            ${url}${console}\n  Documentation  ${url}/docs\n  Ctrl-C stops it.`,
  )
}
