import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { findFreePort } from '../servers/postgres-processes.ts'
import { launch, type Running, until } from './processes.ts'

const main = resolve(import.meta.dirname, '../../../src/main.ts')

type Options = {
  variables: Record<string, string>
  apis?: number
  workers?: number
  /** Arguments for Node, before the program. */
  nodeArguments?: readonly string[]
}

type Kept = { role: string; variables: Record<string, string>; running: Running; kills: number }

/** Starts several processes of each role and restarts each when it ends, as a platform does. */
export async function startProcesses({ variables, apis = 2, workers = 2, nodeArguments = [] }: Options) {
  const start = (role: string, more: Record<string, string> = {}) =>
    launch([...nodeArguments, main, role], { env: { MEMBRANE_RATE_LIMIT: '0', ...variables, ...more } })
  const migrated = start('migrate')
  if ((await migrated.ended).code !== 0) throw new Error(`not migrated: ${migrated.output()}`)

  let isClosed = false
  const outputs: string[] = []
  const kept: Kept[] = []

  async function keep(role: string, more: Record<string, string>): Promise<void> {
    const each: Kept = { role, variables: more, running: start(role, more), kills: 0 }
    kept.push(each)
    while (!isClosed) {
      await each.running.ended
      outputs.push(each.running.output())
      await sleep(300)
      if (!isClosed) each.running = start(role, more)
    }
  }

  const ports = await Promise.all(Array.from({ length: apis }, findFreePort))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  for (const port of ports) void keep('api', { PORT: String(port) })
  for (let nth = 0; nth < workers; nth++) void keep('worker', {})
  onTestFinished(close, 60_000)

  async function close(): Promise<void> {
    isClosed = true
    for (const { running } of kept) running.kill('SIGTERM')
    await Promise.all(kept.map(({ running }) => running.ended))
  }

  /** Waits until each API is ready, and returns how long that took. */
  async function ready(): Promise<number> {
    const began = performance.now()
    for (const url of urls) await until(`${url} to be ready`, () => isReady(url), 60_000)
    return Math.round(performance.now() - began)
  }

  /** Kills the nth process at any moment. */
  function kill(nth: number): string {
    const each = kept[nth % kept.length]
    each?.running.kill('SIGKILL')
    return each?.role ?? ''
  }

  /** The memory of the nth process, in megabytes. */
  async function memoryOf(nth: number): Promise<number> {
    const status = await readFile(`/proc/${kept[nth]?.running.pid}/status`, 'utf8').catch(() => '')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
  }

  const output = () => [...outputs, ...kept.map(({ running }) => running.output())].join('\n')

  await ready()
  return { urls, ready, kill, memoryOf, close, output, size: kept.length, run: start }
}

export type ProcessSupervisor = Awaited<ReturnType<typeof startProcesses>>

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
    (answer) => answer.ok,
    () => false,
  )
}
