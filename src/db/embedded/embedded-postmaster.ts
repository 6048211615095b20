import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedDatabaseError } from './embedded-failure.ts'

/** What PostgreSQL writes about itself into postmaster.pid. */
export type Postmaster = { pid: number; port: number; ready: boolean }

/** The server that runs on this cluster, whoever started it. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const found = await readPostmaster(cluster)
  // A number that is nobody's PostgreSQL clears up itself, and better: it holds the lock while it does.
  if (!found || !isAlive(found.pid)) return undefined
  if (commandOf(found.pid).includes(cluster)) return found
  await discardPidFile(cluster, found.pid)
  return undefined
}

/**
 * After a restart of a container the number is often another program's, and PostgreSQL would refuse to start
 * because of it. Moved aside first: between our look and our deed a server may have put its own file there.
 */
async function discardPidFile(cluster: string, pid: number): Promise<void> {
  const aside = join(cluster, `postmaster.pid.stale-${process.pid}`)
  await rename(pidFile(cluster), aside).catch(() => {})
  const moved = await readPostmaster(cluster, aside)
  if (moved && moved.pid !== pid) await link(aside, pidFile(cluster)).catch(() => {})
  await rm(aside, { force: true })
}

/** Undefined when the process ends before it is ready. Long, because recovery after a crash takes its time. */
export async function awaitReady(
  cluster: string,
  pid: number,
  hasEnded: () => boolean = () => !isRunning(pid),
): Promise<Postmaster | undefined> {
  return poll(120_000, `PostgreSQL (process ${pid}) does not get ready.`, async () => {
    const found = await readPostmaster(cluster)
    if (found?.pid === pid && found.ready) return { value: found }
    return hasEnded() ? { value: undefined } : undefined
  })
}

/** Ends its sessions and writes a checkpoint; only when that hangs, leaves the rest to the next start's recovery. */
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
    // Someone else's process lives too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Unlike `isAlive`, false for one that has ended and that its parent has not asked about. */
function isRunning(pid: number): boolean {
  return isAlive(pid) && commandOf(pid) !== ''
}

function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Lines: process, directory, start time, port, socket directory, address, shared memory, state. */
async function readPostmaster(cluster: string, path = pidFile(cluster)): Promise<Postmaster | undefined> {
  const lines = await readFile(path, 'utf8').then(
    (content) => content.split('\n'),
    () => undefined,
  )
  if (!lines?.[0]) return undefined
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

function pidFile(cluster: string): string {
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
