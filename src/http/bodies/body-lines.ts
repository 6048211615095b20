import type { Readable } from 'node:stream'
import { CollectedBytes } from '../../kernel/collections/collected-bytes.ts'
import { createCutBodyError } from './body-reading.ts'

/** Reads a body of any length as chunks and as lines; only a small part is in memory at any time. */

/** The bytes of one line; undefined when the line is too long. */
export type Line = { line: number; bytes: Buffer | undefined }

const newline = 0x0a

/** The chunks of a body. The answer uses the same connection, so a reader that stops early must not close it. */
export async function* readChunks(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* source.iterator({ destroyOnReturn: false })
  } catch {
    // The code of the error is that of a lost connection to the database.
    throw createCutBodyError()
  }
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
