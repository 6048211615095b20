import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import packageJson from '../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '..')
/** The arguments of Node in `npm run api`; the Dockerfile says why. */
const flags = packageJson.scripts.api.split(' ').filter((each) => each.startsWith('--'))
const startDeadlineMs = 120_000

export type Running = { url: string; pid: number; readyAfterMs: number; stop(): Promise<void> }

/** Starts a real process of the product, which is measured; this process only sends requests. */
export async function startProduct(
  role: 'api' | 'all',
  environment: Record<string, string>,
): Promise<Running> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, 'src/main.ts', role], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      LOG_LEVEL: 'warn',
      MEMBRANE_RATE_LIMIT: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await untilReady(child, url, started)
  return { url, pid: child.pid ?? 0, readyAfterMs: performance.now() - started, stop: () => stop(child) }
}

async function untilReady(child: ChildProcess, url: string, started: number): Promise<void> {
  while (!(await isReady(url))) {
    if (child.exitCode !== null)
      throw new Error(`the process ended with ${child.exitCode} before it was ready`)
    if (performance.now() - started > startDeadlineMs) {
      await stop(child)
      throw new Error('the process was not ready in time')
    }
    await sleep(10)
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return address.port
}
