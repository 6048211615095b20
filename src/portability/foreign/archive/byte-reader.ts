import { type AppError, createFaultError } from '../../../kernel/errors.ts'

export function createBrokenArchiveError(message: string): AppError {
  return createFaultError(message, { pointer: '', message: 'is a damaged or incomplete ZIP archive' })
}

/** Reads bytes in pieces of given lengths from chunks of any length. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes, however many have come; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    if (this.#held.length > 0) {
      const held = this.#held
      this.#held = Buffer.alloc(0)
      return held
    }
    const { done, value } = await this.#chunks.next()
    return done ? undefined : value
  }

  /** Returns bytes that belong to the next part, so that they are read again. */
  unread(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([bytes, this.#held])
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.read(count)) parts.push(part)
    return Buffer.concat(parts)
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.read(count));
  }

  /** Yields the next `count` bytes, in pieces as they come. */
  async *read(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const bytes = await this.next()
      if (!bytes) throw createBrokenArchiveError('The archive ends early.')
      if (bytes.length > left) this.unread(bytes.subarray(left))
      const part = bytes.subarray(0, left)
      left -= part.length
      yield part
    }
  }
}
