/** The bytes of one value that come in parts. They are dropped when they are too many. */
export class CollectedBytes {
  readonly #most: number
  #parts: Buffer[] = []
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  add(part: Buffer): void {
    this.#size += part.length
    if (this.isTooMany) this.#parts = []
    else this.#parts.push(part)
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  get isTooMany(): boolean {
    return this.#size > this.#most
  }

  /** Returns what was collected, undefined when it was too much, and begins the next value. */
  take(): Buffer | undefined {
    const bytes = this.isTooMany ? undefined : Buffer.concat(this.#parts)
    this.#parts = []
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
