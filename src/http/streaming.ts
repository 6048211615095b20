import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { rejectEncoding } from './body.ts'

/** Bodies and answers of any length; only a small part is in memory at any time. */

export const jsonLinesType = 'application/x-ndjson'

/** A connection is closed after this time without any byte in either direction: the client is gone or has stopped. */
const maxIdleMs = 120_000

const slowSockets = new WeakSet<Socket>()

/** Whether the request on this socket may take longer than the request timeout, as long as bytes arrive. */
export function isSlowRequestAllowed(socket: Socket): boolean {
  return slowSockets.has(socket)
}

/** Accepts lines of JSON only. Routes outside this plugin still refuse them. */
export function acceptJsonLines(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonLinesType, (request: FastifyRequest, body, done) => {
    try {
      rejectEncoding(request.headers['content-encoding'])
      done(null, body)
    } catch (error) {
      done(error as Error)
    }
  })
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
    gone.abort()
  })
  return gone.signal
}

/** Yields the parts of a long answer as long as the key of the request is valid, and throws when it no longer is. */
export async function* whileAllowed<T>(request: FastifyRequest, parts: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const part of parts) {
    await request.confirmCaller()
    yield part
  }
}

/** The bytes of one line; undefined when the line is too long. */
export type Line = { line: number; bytes: Buffer | undefined }

const newline = 0x0a

/** Yields the lines that are not blank. The bytes of a line that is too long are dropped while it is read. */
export async function* readLines(source: Readable, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let size = 0
  let line = 1
  const keep = (part: Buffer) => {
    size += part.length
    if (size <= maxBytes) parts.push(part)
    else parts = []
  }
  const finish = (): Line => {
    const bytes = size > maxBytes ? undefined : Buffer.concat(parts)
    parts = []
    size = 0
    return { line: line++, bytes }
  }
  // The answer uses the same connection, so a reader that stops early must not close it.
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end))
      start = end + 1
      const read = finish()
      if (!isBlank(read)) yield read
    }
    keep(chunk.subarray(start))
  }
  const last = finish()
  if (!isBlank(last)) yield last
}

function isBlank({ bytes }: Line): boolean {
  return bytes?.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09) ?? false
}
