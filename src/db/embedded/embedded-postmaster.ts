import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedDatabaseError } from './embedded-failure.ts'

/** The contents of postmaster.pid, which PostgreSQL writes. */
export type Postmaster = {
  pid: number
  port: number
  /** The folder of its Unix socket; empty without one. */
  socketFolder: string
  isReady: boolean
}

/** Finds the server that runs on this cluster, also one that another process started. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const found = await readPostmaster(cluster)
  // PostgreSQL removes the file of a dead process itself, and more safely, because it holds the lock while it does.
  if (!found || !isAlive(found.pid)) return undefined
  if (readCommand(found.pid).includes(cluster)) return found
  await discardPidFile(cluster, found.pid)
  return undefined
}

/**
 * After a restart of a container the process id often belongs to another program, and PostgreSQL would refuse to
 * start. The file is renamed before it is deleted: a new server may have written its own file meanwhile.
 */
async function discardPidFile(cluster: string, pid: number): Promise<void> {
  const aside = join(cluster, `postmaster.pid.stale-${process.pid}`)
  await rename(namePidFile(cluster), aside).catch(() => {})
  const moved = await readPostmaster(cluster, aside)
  if (moved && moved.pid !== pid) await link(aside, namePidFile(cluster)).catch(() => {})
  await rm(aside, { force: true })
}

/**
 * Waits until the server accepts connections. Undefined when the process ends before. The limit is long, because
 * recovery after a crash takes time.
 */
export async function awaitReady(
  cluster: string,
  pid: number,
  hasEnded: () => boolean = () => !isRunning(pid),
): Promise<Postmaster | undefined> {
  return poll(120_000, `PostgreSQL (process ${pid}) did not become ready.`, async () => {
    const found = await readPostmaster(cluster)
    if (found?.pid === pid && found.isReady) return { value: found }
    return hasEnded() ? { value: undefined } : undefined
  })
}

/** Stops the server with a checkpoint. If that hangs it is killed, and the next start recovers. */
export async function stopPostmaster(cluster: string, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!isRunning(pid)) return
    process.kill(pid, signal)
    const gone = poll(20_000, signal, async () =>
      isRunning(pid) && (await readPostmaster(cluster)) ? undefined : { value: true },
    )
    if (await gone.catch(() => false)) return
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Unlike `isAlive`, false for a zombie: a process that has ended and that its parent has not waited for. */
function isRunning(pid: number): boolean {
  return isAlive(pid) && readCommand(pid) !== ''
}

function readCommand(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** The lines are: process, directory, start time, port, socket directory, address, shared memory, state. */
async function readPostmaster(cluster: string, path = namePidFile(cluster)): Promise<Postmaster | undefined> {
  const lines = await readFile(path, 'utf8').then(
    (content) => content.split('\n'),
    () => undefined,
  )
  if (!lines?.[0]) return undefined
  const [pid, , , port, socketFolder = '', , , state] = lines
  return { pid: Number(pid), port: Number(port), socketFolder, isReady: state?.trim() === 'ready' }
}

function namePidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

async function poll<T>(
  milliseconds: number,
  complaint: string,
  look: () => Promise<{ value: T } | undefined>,
) {
  const deadline = performance.now() + milliseconds
  while (performance.now() < deadline) {
    const seen = await look()
    if (seen) return seen.value
    await sleep(10)
  }
  throw new EmbeddedDatabaseError(complaint)
}
