import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { chooseAccount, serverEnvironment } from '../../../src/db/embedded/embedded-account.ts'
import { locateBinaries } from '../../../src/db/embedded/embedded-binaries.ts'
import { ensureCluster, readPassword, superuser } from '../../../src/db/embedded/embedded-cluster.ts'
import { until } from '../processes/processes.ts'
import { administer, findFreePort } from './postgres-processes.ts'

export type PostgresServer = {
  url: string
  /** SIGINT ends the sessions, SIGQUIT leaves a recovery, SIGKILL is a crash. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Resolves when the server answers; at once when it is running. */
  start(): Promise<void>
  isRunning(): boolean
}

/** Starts a PostgreSQL server of the test's own that keeps its address when it is stopped and started again. */
export async function startPostgresServer(
  folder: string,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const { postgres, initdb } = await locateBinaries()
  const cluster = join(folder, 'cluster')
  const account = await chooseAccount(cluster, postgres)
  await account.own(folder)
  await ensureCluster({ cluster, initdb, account, durable: true })
  const port = await findFreePort()
  const address = `postgres://${superuser}:${await readPassword(cluster)}@127.0.0.1:${port}`
  const allSettings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'jit=off',
    ...settings,
  ]
  let server: ChildProcess | undefined

  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null

  async function start(): Promise<void> {
    if (isRunning()) return
    const { command, args, options } = account.launch(postgres, [
      '-D',
      cluster,
      ...allSettings.flatMap((setting) => ['-c', setting]),
    ])
    await until('a server that starts', async () => {
      server = spawn(command, args, { ...options, env: serverEnvironment, stdio: 'ignore' })
      return answers(server, `${address}/postgres`)
    })
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!server || !isRunning()) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  await start()
  onTestFinished(() => stop('SIGKILL'))
  await administer(`${address}/postgres`, 'create database membrane')
  return { url: `${address}/membrane`, start, stop, isRunning }
}

/** Returns false when the server ended first: files of a crashed one may stay locked for a moment. */
async function answers(server: ChildProcess, url: string): Promise<boolean> {
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null) return false
    const isReady = await administer(url, 'select').then(
      () => true,
      () => false,
    )
    if (isReady) return true
  }
}

/** Creates a folder that PostgreSQL can use, also when root runs the test. */
export async function createServerFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o755 })
  if (process.getuid?.() === 0) await chown(path, 65_534, 65_534)
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}
