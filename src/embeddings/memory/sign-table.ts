import { numbersAtOnce } from './dot-products.ts'
import { createPagedRows } from './paged-rows.ts'
import type { VectorPages } from './vector-pages.ts'

const bitsAtOnce = 8 * numbersAtOnce

/**
 * The signs of the numbers in vectors, one bit for each number. Near vectors differ in few signs. Comparing signs takes
 * a tenth of the time: they are read in order, and are an eighth of the bytes.
 */
export function createSignTable({ pages, dimensions }: { pages: VectorPages; dimensions: number }) {
  const length = countSignBytes(dimensions)
  const { computeAddress, makeRoom, listPages, giveBack } = createPagedRows(pages, length)
  /** Places without a vector. Their signs can be near to a question, so they would displace vectors among the likely ones. */
  const cleared: number[] = []
  let differences = new Uint16Array(0)
  let count = 0

  /** Adds the signs of the vector at the next place. Returns whether there is room. */
  function add(numbers: Int8Array): boolean {
    if (!makeRoom(count)) return false
    pages.write(computeAddress(count), toSigns(numbers, length))
    count += 1
    return true
  }

  /** Overwrites the signs at a place. */
  function clear(place: number): void {
    pages.write(computeAddress(place), new Int8Array(length))
    cleared.push(place)
  }

  /** Returns at least `most` places whose signs differ least from those of a question; all where there are no more. None is cleared. */
  function findLikely(numbers: Int8Array, most: number): Uint32Array {
    const counts = countDifferences(toSigns(numbers, length))
    let limit = 0
    let reached = counts[0] as number
    while (reached < most && limit < 8 * length) {
      limit += 1
      reached += counts[limit] as number
    }
    const places = new Uint32Array(reached)
    for (let place = 0, at = 0; place < count; place++) {
      if ((differences[place] as number) <= limit) places[at++] = place
    }
    return places
  }

  /** Stores in how many signs each place differs from a question. Returns how many places differ in each number of signs. */
  function countDifferences(question: Int8Array): Uint32Array {
    if (differences.length < count) differences = new Uint16Array(Math.ceil(1.5 * count))
    const counts = new Uint32Array(8 * length + 1)
    for (const { first, address, rows } of listPages(count)) {
      const found = pages.differ(question, address, rows)
      for (let row = 0; row < found.length; row++) {
        const difference = found[row] as number
        differences[first + row] = difference
        counts[difference] = (counts[difference] as number) + 1
      }
    }
    for (const place of cleared) {
      const difference = differences[place] as number
      counts[difference] = (counts[difference] as number) - 1
      differences[place] = 8 * length + 1
    }
    return counts
  }

  return { add, clear, findLikely, close: giveBack }
}

function countSignBytes(dimensions: number): number {
  return numbersAtOnce * Math.ceil(dimensions / bitsAtOnce)
}

function toSigns(numbers: Int8Array, length: number): Int8Array {
  const signs = new Int8Array(length)
  for (let from = 0; from < numbers.length; from += 8) {
    let byte = 0
    for (let bit = 0; bit < 8; bit++) byte |= ((numbers[from + bit] as number) > 0 ? 1 : 0) << bit
    signs[from >> 3] = byte
  }
  return signs
}
