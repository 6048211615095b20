import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { rejectEncoding } from './body.ts'

/** Bodies and answers of any length, of which there is never more in memory than a part. */

export const jsonLinesType = 'application/x-ndjson'

/** Neither side has sent or taken anything for so long: the other has gone, or will never end. */
const maxIdleMs = 120_000

const slowSockets = new WeakSet<Socket>()

/** Whether the request on it may take as long as it likes, for as long as it goes on. */
export function isSlowRequestAllowed(socket: Socket): boolean {
  return slowSockets.has(socket)
}

/** Lines, and nothing else; other routes go on to refuse them. */
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

/** Spares a request the time limit of the others. Answers what is aborted once the client is gone, or idle. */
export function allowSlowRequest(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const { socket } = request.raw
  const gone = new AbortController()
  slowSockets.add(socket)
  // Node closes it then, and sets its own limit again when the answer is out.
  socket.setTimeout(maxIdleMs)
  reply.raw.once('close', () => {
    slowSockets.delete(socket)
    gone.abort()
  })
  return gone.signal
}

/** The bytes of one line; none when there are too many of them. */
export type Line = { line: number; bytes: Buffer | undefined }

const newline = 0x0a

/** The lines that are not blank. Of one that is too long no more is kept than how far it is to the next. */
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
  // The answer goes out on the same connection, so whoever stops to read must not close it.
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
