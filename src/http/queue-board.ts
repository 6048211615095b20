import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseAdapter } from '@bull-board/api/baseAdapter'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'

/** Returns the queue in the form that the board can read. */
export type OpenQueueAdapter = () => Promise<BaseAdapter>

const path = '/admin/queues'

/** The board does not wait longer for a queue that is unreachable; it answers 503. */
const timeoutMs = 2_000

/** The page has its own scripts and styles. The typeface that it would load from another server is not needed. */
const policy = [
  "default-src 'none'",
  "base-uri 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join('; ')

/**
 * Serves a read-only view of the queue for admins. A browser sends a stored password with any request that any page
 * triggers, so nothing can be changed here: runs are started and cancelled through the API.
 */
export async function serveBoard(app: FastifyInstance, show: OpenQueueAdapter | undefined): Promise<void> {
  if (!show) return
  const [{ createBullBoard }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/fastify'),
  ])
  const serverAdapter = new FastifyAdapter().setBasePath(path)
  const uiConfig = { boardTitle: 'Membrane', hideDocsLink: true }
  const board = createBullBoard({ queues: [], serverAdapter, options: { uiConfig } })
  // The error handler of the plugin would show the message of the failure to the client.
  serverAdapter.setErrorHandler((error) => {
    throw error
  })
  let shown: BaseAdapter | undefined
  await app.register(async (room) => {
    room.addHook('onRoute', (route) => {
      route.config = { ...route.config, permission: 'admin', acceptsBasicAuth: true, isHomeOnly: true }
    })
    room.addHook('preHandler', async ({ method, routeOptions: { url = '' } }, reply) => {
      if (method !== 'GET' && method !== 'HEAD') throw new AppError('forbidden', 'The board is read-only.')
      reply.header('content-security-policy', policy)
      if (!url.startsWith(`${path}/api/`)) return
      const queue = await limitTime(show())
      if (queue !== shown) board.setQueues([queue])
      shown = queue
    })
    await room.register(serverAdapter.registerPlugin(), { prefix: path })
  })
}

/** The promise may still resolve or reject after the timeout; both are ignored. */
async function limitTime(answer: Promise<BaseAdapter>): Promise<BaseAdapter> {
  const first = await Promise.race([
    answer.catch(() => undefined),
    sleep(timeoutMs, undefined, { ref: false }),
  ])
  if (first) return first
  throw new AppError('not_ready', 'The queue does not answer.', { retryAfterSeconds: 2 })
}
