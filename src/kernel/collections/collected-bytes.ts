/**
 * The bytes of one value that come in parts. They are dropped when they are too many. The parts are copied: a value in parts of one
 * byte took some hundred times its size when they were kept.
 */
export class CollectedBytes {
  readonly #most: number
  #bytes = Buffer.alloc(0)
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  add(part: Buffer): void {
    const from = this.#size
    this.#size += part.length
    if (this.isTooMany) this.#bytes = Buffer.alloc(0)
    else {
      if (this.#size > this.#bytes.length) this.#enlarge(from)
      part.copy(this.#bytes, from)
    }
  }

  /** Doubles the room for the first `used` bytes, so that each byte is copied twice at most on average. */
  #enlarge(used: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#size, Math.min(2 * used, this.#most)))
    this.#bytes.copy(larger, 0, 0, used)
    this.#bytes = larger
  }

  get size(): number {
    return this.#size
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** What was collected so far; undefined when it was too much. */
  get bytes(): Buffer | undefined {
    return this.isTooMany ? undefined : this.#bytes.subarray(0, this.#size)
  }

  get isTooMany(): boolean {
    return this.#size > this.#most
  }

  /** Returns what was collected, undefined when it was too much, and begins the next value. */
  take(): Buffer | undefined {
    const { bytes } = this
    this.#bytes = Buffer.alloc(0)
    this.#size = 0
    return bytes
  }
}

/** Reads a source to its end; undefined when it has more than `most` bytes, the rest of which stays unread. */
export async function collectBytes(source: AsyncIterable<Buffer>, most: number): Promise<Buffer | undefined> {
  const collected = new CollectedBytes(most)
  for await (const part of source) {
    collected.add(part)
    if (collected.isTooMany) break
  }
  return collected.take()
}
