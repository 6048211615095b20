import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseAdapter } from '@bull-board/api/baseAdapter'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'

/** The queue as the board reads it. */
export type OpenQueueAdapter = () => Promise<BaseAdapter>

const path = '/admin/queues'

/** A queue that is away is waited for by whoever needs it; who only looks is told. */
const timeoutMs = 2_000

/** The page brings its own scripts and styles; the typeface it would fetch from elsewhere is not needed. */
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
 * The messages of the queue, for an admin to look at. A browser sends a password along with whatever any page makes it
 * ask for, so nothing can be done here: runs are asked for, and cancelled, through the API.
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
  // Its own would answer with what the failure said.
  serverAdapter.setErrorHandler((error) => {
    throw error
  })
  let shown: BaseAdapter | undefined
  await app.register(async (room) => {
    room.addHook('onRoute', (route) => {
      route.config = { ...route.config, permission: 'admin', acceptsBasicAuth: true }
    })
    room.addHook('preHandler', async ({ method, routeOptions: { url = '' } }, reply) => {
      if (method !== 'GET' && method !== 'HEAD') throw new AppError('forbidden', 'The board only shows.')
      reply.header('content-security-policy', policy)
      if (!url.startsWith(`${path}/api/`)) return
      const queue = await withTimeout(show())
      if (queue !== shown) board.setQueues([queue])
      shown = queue
    })
    await room.register(serverAdapter.registerPlugin(), { prefix: path })
  })
}

/** It may answer, or fail, after we have gone on without it. */
async function withTimeout(answer: Promise<BaseAdapter>): Promise<BaseAdapter> {
  const first = await Promise.race([
    answer.catch(() => undefined),
    sleep(timeoutMs, undefined, { ref: false }),
  ])
  if (first) return first
  throw new AppError('not_ready', 'The queue does not answer.', { retryAfterSeconds: 2 })
}
