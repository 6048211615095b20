import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

// Separate from what tests use, because the global setup runs outside of tests.

export function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

export async function administer(url: string, ...statements: string[]): Promise<pg.QueryResult[]> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    const results: pg.QueryResult[] = []
    for (const statement of statements) results.push(await session.query(statement))
    return results
  } finally {
    await session.end()
  }
}

/** Finds a port that is free now and unlikely to be taken in the next moments. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return address.port
}

export async function postmasterOf(folder: string): Promise<number | undefined> {
  const [pid] = await readPidFile(folder)
  return Number(pid) || undefined
}

/** Returns the process id of a server that has started and recovered. */
export async function readyPostmasterOf(folder: string): Promise<number | undefined> {
  const [pid, , , , , , , status = ''] = await readPidFile(folder)
  return status.startsWith('ready') ? Number(pid) : undefined
}

async function readPidFile(folder: string): Promise<string[]> {
  const content = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return content.split('\n')
}

export async function quitPostgres(folder: string): Promise<void> {
  const pid = await postmasterOf(folder)
  if (!pid) return
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    return
  }
  while (await postmasterOf(folder)) await sleep(20)
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists, although it may not be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
