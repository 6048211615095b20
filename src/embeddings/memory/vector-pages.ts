import { createGrowingMemory, createLoops } from './dot-products.ts'

const pageBytes = 65_536
/** The first pages hold what one call of the loop reads and writes: a question, the addresses of vectors, the results. */
const workPages = 3
/** Node collects garbage when memory grows, as if all of it were new. 16 MB at once; a part that is not written to takes no memory. */
const grownAtOnce = 256
const addressesAt = pageBytes
const resultsAt = 2 * pageBytes

/** The most vectors that one call compares. */
export const maxAtOnce = pageBytes / Uint32Array.BYTES_PER_ELEMENT

export type VectorPages = ReturnType<typeof createVectorPages>

/**
 * One memory for the vectors of all stores of the process, given out in pages: a memory for each store would reserve some GB
 * of addresses for each. It never shrinks; a page that is given back serves the next store.
 */
export function createVectorPages(maxBytes: number) {
  const most = Math.floor(maxBytes / pageBytes)
  const memory = createGrowingMemory({ initial: workPages, maximum: workPages + most })
  const loops = createLoops(memory)
  const free: number[] = []
  let grown = 0
  let bytes = new Int8Array(memory.buffer)

  /** Returns the address of a page; undefined where there is no room. */
  function take(): number | undefined {
    if (free.length === 0) grow()
    return free.pop()
  }

  function grow(): void {
    const count = Math.min(grownAtOnce, most - grown)
    if (count === 0) return
    const first = memory.grow(count)
    bytes = new Int8Array(memory.buffer)
    grown += count
    for (let page = count - 1; page >= 0; page--) free.push((first + page) * pageBytes)
  }

  function giveBack(pages: readonly number[]): void {
    free.push(...pages)
  }

  function write(address: number, vector: Int8Array): void {
    bytes.set(vector, address)
  }

  function read(address: number, length: number): Int8Array {
    return bytes.subarray(address, address + length)
  }

  /** Compares a question with the vectors at some addresses. The results are valid until the next call. */
  function compare(question: Int8Array, addresses: Uint32Array): Int32Array {
    bytes.set(question, 0)
    new Uint32Array(memory.buffer, addressesAt, addresses.length).set(addresses)
    loops.compare(addressesAt, addressesAt + addresses.byteLength, resultsAt, 0, question.length)
    return new Int32Array(memory.buffer, resultsAt, addresses.length)
  }

  /**
   * The number of bits in which a question differs from each of `count` rows, beginning at an address. Valid until the
   * next call.
   */
  function differ(question: Int8Array, address: number, count: number): Int32Array {
    bytes.set(question, 0)
    loops.differ(address, address + count * question.length, resultsAt, 0, question.length)
    return new Int32Array(memory.buffer, resultsAt, count)
  }

  return {
    take,
    giveBack,
    write,
    read,
    compare,
    differ,
    /** How many vectors of a length fit into a page. */
    countPerPage: (length: number) => Math.floor(pageBytes / length),
    countFree: () => most - grown + free.length,
  }
}
