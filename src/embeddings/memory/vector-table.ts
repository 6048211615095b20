import type { Version } from '../../db/memory/learnt-changes.ts'
import { compareNearness, type Embedding, type Neighbour } from '../../domain/vectors/similarity.ts'
import { createBestPlaces } from '../../kernel/collections/best-places.ts'
import { createGrowingArray } from '../../kernel/collections/growing-array.ts'
import { createUuidPlaces } from '../../kernel/collections/uuid-places.ts'
import { cellsPerSet, noCell } from '../cells/cells.ts'
import { type DecodedVector, decodeVector, type EncodedVector } from '../vectors/decoded-vectors.ts'
import { countBytes, decodeBytes, estimateKept, toBytes } from './byte-vectors.ts'
import { createPagedRows } from './paged-rows.ts'
import { createSignTable } from './sign-table.ts'
import { maxAtOnce, type VectorPages } from './vector-pages.ts'

/** A vector of the database. Its version is the transaction that last changed it. */
export type VersionedVector = EncodedVector & { version: readonly [changed: number]; cell: number }

export type TableOptions = {
  pages: VectorPages
  dimensions: number
  /** The ids of the sets of cells that are searched; vectors of other cells are compared with every question. */
  sets: readonly number[]
}

/** How many vectors are compared for each one that is requested, and how many at least. */
const likelyForEach = 25
const minLikely = 2_000

export type VectorTable = ReturnType<typeof createVectorTable>

/**
 * The vectors of one store in the memory of the process. A vector that changes or goes leaves its place empty until the table
 * is loaded again.
 */
export function createVectorTable({ pages, dimensions, sets }: TableOptions) {
  const length = countBytes(dimensions)
  const { computeAddress, makeRoom, giveBack } = createPagedRows(pages, length)
  const ids = createUuidPlaces()
  const versions: number[] = []
  /** The factor by which a product becomes a cosine; NaN if the place is empty. */
  const factors: number[] = []
  /** The steps of rounding, of vectors with length 1; 0 at full precision. */
  const steps: number[] = []
  const placesByCell = new Map<number, ReturnType<typeof createGrowingArray<Uint32Array>>>()
  const signs = createSignTable({ pages, dimensions })
  let gone = 0
  let hasRounded = false
  let isClosed = false

  /** Stores a vector, instead of the one that is known of it. Returns whether there was room. */
  function add(stored: VersionedVector): boolean {
    const { id, version, cell } = stored
    if (isClosed || !makeRoom(ids.length)) return false
    const place = ids.length
    remove(id)
    const { vector, step, square } = decodeVector(stored, dimensions)
    const { numbers, factor } = toBytes(vector)
    if (!signs.add(numbers)) return false
    pages.write(computeAddress(place), numbers)
    ids.push(id)
    versions.push(...version)
    steps.push(step / Math.sqrt(square))
    hasRounded ||= step > 0
    factors.push(step === 0 ? factor : factor / estimateKept(vector, step))
    listIn(sets.includes(Math.floor(cell / cellsPerSet)) ? cell : noCell, place)
    return true
  }

  /** Undefined for a vector that is not here. */
  function findVersion(id: string): Version | undefined {
    const version = versions[ids.findPlace(id) ?? -1]
    return version === undefined ? undefined : [version]
  }

  function listIn(cell: number, place: number): void {
    const places = placesByCell.get(cell) ?? createGrowingArray(Uint32Array)
    placesByCell.set(cell, places)
    places.push(place)
  }

  function remove(id: string): void {
    const place = ids.findPlace(id)
    if (place === undefined || isClosed) return
    ids.remove(id)
    factors[place] = Number.NaN
    pages.write(computeAddress(place), new Int8Array(length))
    signs.clear(place)
    gone += 1
  }

  /** Returns the nearest vectors of some cells and of those without one, nearest first, with their cosines. */
  function findNearest(vector: Embedding, cells: readonly number[], most: number): Neighbour[] {
    const question = toBytes(vector)
    const nearest = createBestPlaces(most)
    for (const places of listCompared(question.numbers, cells, most)) {
      const products = pages.compare(question.numbers, toAddresses(places))
      for (let at = 0; at < places.length; at++) {
        const place = places[at] as number
        nearest.offer(place, (products[at] as number) * (factors[place] as number))
      }
    }
    return nearest
      .list()
      .map(({ place, score }) => ({ id: ids.getId(place), similarity: Math.min(1, score * question.factor) }))
      .sort(compareNearness)
  }

  /** If there are many vectors and no cells, only those are compared whose signs are like those of the question. */
  function listCompared(numbers: Int8Array, cells: readonly number[], most: number): Iterable<Uint32Array> {
    const likely = Math.max(minLikely, likelyForEach * most)
    if (sets.length > 0 || ids.length <= likely) return listPlaces(cells)
    return splitInParts(signs.findLikely(numbers, likely))
  }

  function toAddresses(places: Uint32Array): Uint32Array {
    const addresses = new Uint32Array(places.length)
    for (let at = 0; at < places.length; at++) addresses[at] = computeAddress(places[at] as number)
    return addresses
  }

  /** Lists what is compared, in as many parts as calls: a call for each small cell would take longer than the comparison. */
  function* listPlaces(cells: readonly number[]): Generator<Uint32Array> {
    const part = new Uint32Array(maxAtOnce)
    let length = 0
    for (const cell of [noCell, ...cells]) {
      const places = placesByCell.get(cell)
      for (let from = 0; places && from < places.length; ) {
        const some = places.values.subarray(from, Math.min(places.length, from + maxAtOnce - length))
        part.set(some, length)
        length += some.length
        from += some.length
        if (length < maxAtOnce) continue
        yield part
        length = 0
      }
    }
    if (length > 0) yield part.subarray(0, length)
  }

  /** Returns a vector with length 1; undefined where it has gone. */
  function readVector(id: string): Pick<DecodedVector, 'id' | 'vector' | 'step'> | undefined {
    const place = ids.findPlace(id)
    if (place === undefined) return undefined
    const numbers = pages.read(computeAddress(place), length)
    const factor = 1 / Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0))
    return { id, vector: decodeBytes({ numbers, factor }, dimensions), step: steps[place] ?? 0 }
  }

  /** Gives the memory back. */
  function close(): void {
    giveBack()
    signs.close()
    isClosed = true
  }

  return {
    add,
    remove,
    findVersion,
    findNearest,
    readVector,
    close,
    findPlace: ids.findPlace,
    getId: ids.getId,
    countAdded: () => ids.length,
    countKept: () => ids.length - gone,
    countWithoutCell: () => placesByCell.get(noCell)?.length ?? 0,
    /** Whether a vector was stored with fewer bits. */
    isRounded: (id: string) => hasRounded && (steps[ids.findPlace(id) ?? -1] ?? 0) > 0,
    isClosed: () => isClosed,
  }
}

function* splitInParts(places: Uint32Array): Generator<Uint32Array> {
  for (let from = 0; from < places.length; from += maxAtOnce) yield places.subarray(from, from + maxAtOnce)
}
