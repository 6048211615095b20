import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, stat, truncate } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, serverEnvironment } from './embedded-account.ts'
import { EmbeddedDatabaseError } from './embedded-failure.ts'
import { awaitReady, findPostmaster, type Postmaster } from './embedded-postmaster.ts'

type Server = {
  cluster: string
  postgres: string
  account: Account
  durable: boolean
  logFile: string
  port: number | undefined
}

const attempts = 6

/** Starts the server of this cluster, or adopts one that still runs because its parent was killed. */
export async function openServer(options: Server): Promise<Postmaster & { isAdopted: boolean }> {
  const from = await trimLog(options.logFile)
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const running = await findPostmaster(options.cluster)
    const ready = running ? await awaitReady(options.cluster, running.pid) : await launch(options)
    if (ready) return { ...ready, isAdopted: running !== undefined }
    // The port was taken, another start was faster, or sessions of the last server still end.
    await sleep(attempt * 100)
  }
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL does not start. The end of ${options.logFile}:\n${await readFrom(options.logFile, from)}`,
  )
}

/** Detached, so that Ctrl-C in a terminal reaches only this process, which stops the database last. */
async function launch(options: Server): Promise<Postmaster | undefined> {
  const {
    command,
    args,
    options: ids,
  } = options.account.launch(options.postgres, [
    '-D',
    options.cluster,
    ...listSettings(options, options.port ?? (await pickPort())).flatMap((setting) => ['-c', setting]),
  ])
  const log = await open(options.logFile, 'a', 0o600)
  try {
    await options.account.own(options.logFile)
    const stdio = ['ignore', log.fd, log.fd] as const
    const child = spawn(command, args, { ...ids, env: serverEnvironment, detached: true, stdio: [...stdio] })
    await once(child, 'spawn')
    child.unref()
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    return await awaitReady(options.cluster, child.pid ?? 0, hasEnded).catch((error) => {
      child.kill('SIGINT')
      throw error
    })
  } finally {
    await log.close()
  }
}

function listSettings({ cluster, durable }: Server, port: number): string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${nameSocketFolder(cluster)}`,
    'max_connections=100',
    'shared_buffers=256MB',
    'max_wal_size=2GB',
    'checkpoint_timeout=15min',
    // Our statements are short: compiling them would cost more than it saves.
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    // The text of a failed statement can be memory content, which no log may contain.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    'log_checkpoints=off',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ]
}

/** Most systems cut the path of a socket here. */
const longestSocketPath = 103

/**
 * The cluster, which only its account and root can enter. Writing a statement to a Unix socket takes half of the time that
 * it takes over TCP. Empty, for TCP alone, where the path is too long or would be read as a list.
 */
function nameSocketFolder(cluster: string): string {
  const isUsable = process.platform !== 'win32' && !/[",]/.test(cluster)
  return isUsable && Buffer.byteLength(`${cluster}/.s.PGSQL.65535`) <= longestSocketPath ? cluster : ''
}

/** A port that is free now. If another program takes it before PostgreSQL does, the next attempt uses another. */
async function pickPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return address !== null && typeof address === 'object' ? address.port : 0
}

/** Returns the position in the log at which the lines of this start begin. */
async function trimLog(path: string): Promise<number> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size < 10_000_000) return size
  await truncate(path)
  return 0
}

async function readFrom(path: string, position: number): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(16_384), position })
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-12).join('\n')
  } finally {
    await file.close()
  }
}
