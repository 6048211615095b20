import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { findFreePort } from './postgres-processes.ts'

/** Returns the given Redis, or starts one where redis-server is installed; undefined without either. */
export async function openRedis(
  url?: string,
  requestedPort?: number,
): Promise<{ url: string; stop(): void } | undefined> {
  if (url) return { url: url, stop: () => {} }
  const port = requestedPort ?? (await findFreePort())
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', [...settings, '--dir', tmpdir()], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ready = new Promise<boolean>((resolve) => {
    server.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Ready to accept connections')) resolve(true)
    })
    once(server, 'exit').then(
      () => resolve(false),
      () => resolve(false),
    )
  })
  if (!(await ready)) return undefined
  return { url: `redis://127.0.0.1:${port}`, stop: () => void server.kill('SIGKILL') }
}
