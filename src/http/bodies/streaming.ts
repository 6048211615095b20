import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'
import { rejectEncoding } from './json-bodies.ts'

/** Bodies and answers that are sent as streams, for as long as bytes move. */

export const jsonLinesType = 'application/x-ndjson'

/** A connection is closed after this time without any byte in either direction: the client is gone or has stopped. */
const maxIdleMs = 120_000

const slowSockets = new WeakSet<Socket>()

/** Whether the request on this socket may take longer than the request timeout, as long as bytes arrive. */
export function isSlowRequestAllowed(socket: Socket): boolean {
  return slowSockets.has(socket)
}

/** Passes bodies of these types on as streams. Routes outside this plugin still refuse them. */
export function acceptStreams(app: FastifyInstance, mediaTypes: readonly string[]): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...mediaTypes], (request: FastifyRequest, body, done) => {
    try {
      rejectEncoding(request.headers['content-encoding'])
      done(null, body)
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Returns a signal that is aborted when the server begins to close: a stream would keep it open as long as it lasts. */
export function createClosingSignal(app: FastifyInstance): AbortSignal {
  const closing = new AbortController()
  app.addHook('preClose', async () =>
    closing.abort(new AppError('shutting_down', 'The process is stopping.')),
  )
  return closing.signal
}

/** Exempts a request from the request timeout. Returns a signal that is aborted when the client is gone or idle. */
export function allowSlowRequest(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const { socket } = request.raw
  const gone = new AbortController()
  slowSockets.add(socket)
  // Node closes the socket when this time is over, and restores its own limit after the answer.
  socket.setTimeout(maxIdleMs)
  reply.raw.once('close', () => {
    slowSockets.delete(socket)
    gone.abort(new AppError('malformed_request', 'The client hung up.'))
  })
  return gone.signal
}

/** Yields the parts of a long answer as long as the key of the request is valid, and throws when it no longer is. */
export async function* yieldWhileAllowed<T>(
  request: FastifyRequest,
  parts: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const part of parts) {
    await request.confirmCaller()
    yield part
  }
}

const confirmEveryMs = 1_000

/**
 * Yields the chunks of a long body, and throws soon after the key of the request was revoked: a client that sends nothing of use, such as
 * blank bytes, would never reach another check.
 */
export async function* readWhileAllowed(
  request: FastifyRequest,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let confirmedAt = performance.now()
  for await (const chunk of chunks) {
    if (performance.now() - confirmedAt > confirmEveryMs) {
      await request.confirmCaller()
      confirmedAt = performance.now()
    }
    yield chunk
  }
}

/** Waits for the first item, so that a failure before it becomes a problem response and not a broken stream. */
export async function startStream<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await source.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* source
    } finally {
      await source.return(undefined)
    }
  })()
}

/** Sends lines of JSON as long as the key of the request is valid. */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  lines: AsyncIterable<string>,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store').type(jsonLinesType)
  return reply.send(Readable.from(await startStream(yieldWhileAllowed(request, lines)), { highWaterMark: 1 }))
}
