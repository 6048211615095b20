import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CollectedBytes } from '../../kernel/collected-bytes.ts'
import { rejectEncoding } from './json-bodies.ts'

/** Bodies and answers of any length; only a small part is in memory at any time. */

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
  app.addHook('preClose', async () => closing.abort())
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
    gone.abort()
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

/** The bytes of one line; undefined when the line is too long. */
export type Line = { line: number; bytes: Buffer | undefined }

const newline = 0x0a

/** The chunks of a body. The answer uses the same connection, so a reader that stops early must not close it. */
export function readChunks(source: Readable): AsyncIterable<Buffer> {
  return source.iterator({ destroyOnReturn: false })
}

/**
 * Reads chunks until their beginning is enough to decide, or has `most` bytes, or the body ends. `chunks` yields all of
 * them again and then the others. It looks at the beginning when the first line has ended, and each time it has doubled: a body in
 * chunks of one byte kept the process busy for minutes when it looked at each.
 */
export async function peek(source: AsyncIterable<Buffer>, most: number, isEnough: (head: Buffer) => boolean) {
  const rest = source[Symbol.asyncIterator]()
  const collected = new CollectedBytes(Number.POSITIVE_INFINITY)
  let head: Buffer = Buffer.alloc(0)
  let isOver = false
  let hasLine = false
  while (!isOver && collected.size < most) {
    const { done, value } = await rest.next()
    if (done) isOver = true
    else collected.add(value)
    const endsLine: boolean = !hasLine && value?.includes(newline) === true
    if (!endsLine && collected.size < 2 * head.length) continue
    hasLine ||= endsLine
    head = collected.bytes ?? head
    if (isEnough(head)) break
  }
  head = collected.take() ?? head
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head
      while (!isOver) {
        const { done, value } = await rest.next()
        if (done) return
        yield value
      }
    } finally {
      await rest.return?.()
    }
  }
  return { head, chunks }
}

/** Yields the lines that are not blank. The bytes of a line that is too long are dropped while it is read. */
export async function* readLines(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  const collected = new CollectedBytes(maxBytes)
  let line = 1
  const finish = (): Line => ({ line: line++, bytes: collected.take() })
  for await (const chunk of source) {
    let start = 0
    for (;;) {
      if (collected.isEmpty) {
        const blank = skipBlankLines(chunk, start)
        line += blank.count
        start = blank.end
      }
      const end = chunk.indexOf(newline, start)
      if (end < 0) break
      collected.add(chunk.subarray(start, end))
      start = end + 1
      const read = finish()
      if (!isBlank(read)) yield read
    }
    collected.add(chunk.subarray(start))
  }
  const last = finish()
  if (!isBlank(last)) yield last
}

/** A body of line feeds alone has so many lines that each must cost next to nothing. */
function skipBlankLines(chunk: Buffer, start: number): { count: number; end: number } {
  let count = 0
  let end = start
  for (let at = start; isBlankByte(chunk[at]) || chunk[at] === newline; at++) {
    if (chunk[at] !== newline) continue
    count++
    end = at + 1
  }
  return { count, end }
}

function isBlank({ bytes }: Line): boolean {
  return bytes?.every(isBlankByte) ?? false
}

function isBlankByte(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09
}
