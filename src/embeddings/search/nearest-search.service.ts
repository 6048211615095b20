import type { Database } from '../../db/connection.ts'
import type { Embedding } from '../../domain/vectors/similarity.ts'
import type { CellCache } from '../cells/cell-cache.service.ts'
import { findNearestCells, noCell } from '../cells/cells.ts'
import type { EncodedVector } from '../vectors/decoded-vectors.ts'
import type { StoreSizes } from './store-sizes.service.ts'
import { findAmongIndexed, findInCells, type VectorSearch } from './vector-search.queries.ts'

/**
 * How many of the nearest signatures of the cells are examined. First twice as many as candidates are needed, because
 * sorting many takes longer than comparing them; then this number, if too few of their records meet the conditions.
 */
const nearestExamined = 10_000

/** The sets of cells change a few times in the life of a store; a search that meets a change starts again. */
const maxAttempts = 3

type Resources = {
  db: Database
  cells: CellCache
  sizes: StoreSizes
  /** The share of the cells that a search of so many signatures reads. */
  computeShareRead(signatures: number): number
}

/** `isEnough` is false when a record that is farther away may be missing. */
type NearVectors = { found: EncodedVector[]; isEnough: boolean }

type CellSearch = { vector: Embedding; requested: number }

/** Returns the search for the records whose signatures are nearest: in the index where the store has one, or else in the cells. */
export function createNearestSearch({ db, cells, sizes, computeShareRead }: Resources) {
  async function findNearest(search: VectorSearch, asked: CellSearch): Promise<NearVectors> {
    return (await sizes.measure()).isIndexed ? searchIndex(search) : searchCells(search, asked)
  }

  async function searchIndex(search: VectorSearch): Promise<NearVectors> {
    const found = await findAmongIndexed(db, search)
    return { found, isEnough: found.length >= search.limit }
  }

  /** While vectors move from one set of cells to another, both are searched. */
  async function searchCells(search: VectorSearch, { vector, requested }: CellSearch): Promise<NearVectors> {
    const { signatures } = await sizes.measure()
    const share = computeShareRead(signatures)
    let sets = await cells.read(db, search.modelId)
    let examined = 2 * search.limit
    for (let attempt = 1; ; ) {
      const near = sets.flatMap((set) => findNearestCells(set, vector, share))
      const { found, sets: current } = await findInCells(db, search, { cells: [noCell, ...near], examined })
      if (current.join() !== sets.map(({ id }) => id).join() && attempt < maxAttempts) {
        sets = await cells.refresh(db, search.modelId)
        attempt += 1
        continue
      }
      const isWhole = sets.length === 0 && signatures <= examined
      if (isWhole || found.length >= search.limit || examined === nearestExamined)
        return { found, isEnough: isWhole || found.length >= requested }
      examined = nearestExamined
    }
  }

  return findNearest
}
