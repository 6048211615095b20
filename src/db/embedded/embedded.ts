import { access, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { chooseAccount } from './embedded-account.ts'
import { locateBinaries } from './embedded-binaries.ts'
import { claimServer, ensureDatabase } from './embedded-claim.ts'
import { ensureCluster, readPassword, superuser } from './embedded-cluster.ts'
import { EmbeddedDatabaseError, NoEmbeddedDatabaseError } from './embedded-failure.ts'
import { createFolder } from './embedded-folder.ts'
import { findPostmaster, type Postmaster, stopPostmaster } from './embedded-postmaster.ts'
import { openServer } from './embedded-server.ts'

export { EmbeddedDatabaseError, NoEmbeddedDatabaseError }

export type EmbeddedOptions = {
  dataDir: string
  /** False gives up durability for speed, in tests: a power cut may destroy the data. */
  durable?: boolean
  /** The port to listen on; a free port without it. */
  port?: number
  log?: (message: string) => void
}

export type EmbeddedPostgres = {
  url: string
  port: number
  /** Resolves when the server ended by itself and does not come back. */
  lost: Promise<void>
  stop(): Promise<void>
}

const database = 'membrane'

/** Starts PostgreSQL on this machine. One process at a time holds it; the data stay after it ends. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log = () => {} } = options
  const { folder, cluster, server } = await openFolder(options, log).catch((error) => {
    throw describeSystemError(error, options.dataDir)
  })
  const password = await readPassword(cluster)
  const maintenance = buildUrl(server, password, 'postgres')
  const claim = await claimServer(maintenance, folder, server.pid)
  if (server.isAdopted) log('A database server that was still running is used again.')
  const stop = async () => {
    await claim.release()
    await stopPostmaster(cluster, server.pid)
  }
  try {
    await ensureDatabase(maintenance, database)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: buildUrl(server, password, database), port: server.port, lost: claim.lost, stop }
}

/**
 * Connects to the embedded database of a running process, or starts it until `leave` is called. It never creates one.
 */
export async function connectToEmbeddedPostgres(
  options: EmbeddedOptions,
): Promise<{ url: string; leave(): Promise<void> }> {
  const cluster = join(options.dataDir, 'postgres')
  await access(join(cluster, 'PG_VERSION')).catch((error) => {
    throw new NoEmbeddedDatabaseError(
      `There is no embedded database in ${options.dataDir}. Set MEMBRANE_DATA_DIR to its folder, or DATABASE_URL.`,
      error,
    )
  })
  const running = await findPostmaster(await realpath(cluster))
  if (!running?.isReady) {
    const { url, stop } = await startEmbeddedPostgres(options)
    return { url, leave: stop }
  }
  return { url: buildUrl(running, await readPassword(cluster), database), leave: async () => {} }
}

/** Through the Unix socket where there is one. */
function buildUrl({ port, socketFolder }: Postmaster, password: string, name: string): string {
  const socket = socketFolder === '' ? '' : `?host=${encodeURIComponent(socketFolder)}`
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}${socket}`
}

async function openFolder(
  { dataDir, durable = true, port }: EmbeddedOptions,
  log: (message: string) => void,
) {
  const { postgres, initdb } = await locateBinaries()
  await createFolder(dataDir)
  const folder = await realpath(dataDir)
  const cluster = join(folder, 'postgres')
  const account = await chooseAccount(cluster, postgres)
  const { created } = await ensureCluster({ cluster, initdb, account, durable })
  if (created) log(`A new database was created in ${folder}.`)
  const logFile = join(folder, 'postgres.log')
  const server = await openServer({ cluster, postgres, account, durable, logFile, port })
  return { folder, cluster, server }
}

/** A system error such as a full disk or a read-only folder explains itself; it gets the name of the folder. */
function describeSystemError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedDatabaseError || !(error instanceof Error) || !('syscall' in error))
    return error
  return new EmbeddedDatabaseError(
    `The embedded database cannot be stored in ${dataDir}: ${error.message}. Set MEMBRANE_DATA_DIR to another folder, or DATABASE_URL.`,
    error,
  )
}
