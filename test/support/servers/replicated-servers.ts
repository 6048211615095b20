import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseError, QueryResult } from 'pg'
import { onTestFinished } from 'vitest'
import { chooseAccount, serverEnvironment } from '../../../src/db/embedded/embedded-account.ts'
import { prepareQueue } from '../../../src/jobs/queue/queue.ts'
import { until } from '../processes/processes.ts'
import { testDataRoot } from '../test-data-root.ts'
import { migrate } from './migrated-database.ts'
import { administer, findFreePort } from './postgres-processes.ts'

const binaries = process.env['POSTGRES_BINARIES'] ?? '/usr/lib/postgresql/15/bin'

/** The embedded server has no pg_basebackup, so these tests need an installed PostgreSQL. */
export const canReplicate = ['initdb', 'pg_basebackup', 'postgres'].every((name) =>
  existsSync(join(binaries, name)),
)

export type ReplicatedServer = { url: string; start(): Promise<void>; kill(): Promise<void>; folder: string }

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'shared_buffers=32MB',
  'jit=off',
  'wal_level=replica',
  'max_wal_senders=8',
  'wal_receiver_status_interval=1s',
  'max_standby_streaming_delay=0',
]

/** Starts a server with a migrated database that can have replicas. They end with the test, or when the caller ends them. */
export async function startReplicatedServers(
  whenOver: (end: () => Promise<void>) => void = (end) => onTestFinished(end),
) {
  const root = await mkdtemp(join(testDataRoot, 'membrane-replicas-'))
  whenOver(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  const account = await chooseAccount(join(root, 'primary'), join(binaries, 'postgres'))
  await account.own(root)

  function run(program: string, ...args: string[]): void {
    const { command, args: all, options } = account.launch(join(binaries, program), args)
    const { status, stderr } = spawnSync(command, all, { ...options, env: serverEnvironment, cwd: root })
    if (status !== 0) throw new Error(`${program}: ${stderr}`)
  }

  async function prepare(folder: string): Promise<ReplicatedServer> {
    const port = await findFreePort()
    let child: ChildProcess | undefined
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const start = async () => {
      const { command, args, options } = account.launch(join(binaries, 'postgres'), [
        '-D',
        folder,
        '-p',
        String(port),
        ...settings.flatMap((setting) => ['-c', setting]),
      ])
      child = spawn(command, args, { ...options, env: serverEnvironment, stdio: 'ignore', cwd: root })
      await until('a server that starts', () =>
        administer(url, 'select').then(
          () => true,
          () => undefined,
        ),
      )
    }
    const kill = async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      // At once, as when its machine is lost; a crash leaves processes that hold the files for a moment.
      child.kill('SIGQUIT')
      await ended
    }
    whenOver(kill)
    return { url, start, kill, folder }
  }

  const primary = await prepare(join(root, 'primary'))
  run('initdb', '-D', primary.folder, '-U', 'postgres', '-A', 'trust', '--no-sync')
  await primary.start()
  await administer(primary.url, 'create database membrane')
  await migrate(productUrl(primary))
  await prepareQueue({ redisUrl: undefined, databaseUrl: productUrl(primary) })
  const { port } = new URL(primary.url)

  async function addReplica(name: string): Promise<ReplicatedServer> {
    const replica = await prepare(join(root, name))
    const source = `host=127.0.0.1 port=${port} user=postgres`
    run('pg_basebackup', '-D', replica.folder, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
    await replica.start()
    return replica
  }

  return { primary, addReplica }
}

/** The URL of the product's database on a server. */
export function productUrl({ url }: { url: string }): string {
  return url.replace(/postgres$/, 'membrane')
}

/**
 * Executes a statement in the product's database on a server. A replica cancels a statement that is in the way of
 * what it replays, so the statement has to be one that can be repeated.
 */
export async function administerProduct(server: { url: string }, statement: string): Promise<QueryResult> {
  return until('a statement that is not in the way of recovery', async () => {
    try {
      const [result] = await administer(productUrl(server), statement)
      return result
    } catch (error) {
      if ((error as DatabaseError).code !== '40001') throw error
      return undefined
    }
  })
}
