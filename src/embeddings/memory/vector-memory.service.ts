import type { Database } from '../../db/connection.ts'
import { createNoRoomError, fillTable, forgetGone } from '../../db/memory/learnt-changes.ts'
import { readView } from '../../db/memory/seen-changes.ts'
import { runApart } from '../../db/request-scope.ts'
import type { Neighbour } from '../../domain/vectors/similarity.ts'
import { type CacheClock, createRefreshedCache } from '../../kernel/refreshed-cache.ts'
import type { CellCache } from '../cells/cell-cache.service.ts'
import { countBytes } from './byte-vectors.ts'
import { checkVectors, readVectorIds, readVectors } from './vector-memory.queries.ts'
import { findInTable, type LoadedVectors, type MemoryVectorSearch } from './vector-memory-search.service.ts'
import { createVectorPages, type VectorPages } from './vector-pages.ts'
import { createVectorTable } from './vector-table.ts'

export type StoreVectors = ReturnType<ReturnType<typeof createVectorMemory>['openStore']>

/** Fewer vectors the database compares in less time than it checks some. */
const defaultFewest = 1_000
const defaultMostCompared = 250_000
/** How many vectors are read at once. Adding them to the memory blocks other requests for 3 ms. */
const readAtOnce = 250
/** Vectors that have no cell yet are compared with every question. They get one, which is only read with the vector. */
const maxWithoutCell = 20_000

type Options = CacheClock & {
  maxBytes: number
  /** The most vectors that are all compared, which takes some 5 ms. In a larger store only those of the nearest cells are. */
  maxCompared?: number
  fewest?: number
}

/**
 * Room for the vectors of all stores of a process. Comparing 10,000 vectors takes 0.3 ms of processor time here and 6
 * ms in PostgreSQL.
 */
export function createVectorMemory({
  maxBytes,
  maxCompared = defaultMostCompared,
  fewest = defaultFewest,
  ...clock
}: Options) {
  let opened: VectorPages | undefined

  /** The vectors of the serving model of one store, which no other store finds. */
  function openStore({ db, cells }: { db: Database; cells: CellCache }) {
    const cache = createRefreshedCache<LoadedVectors, MemoryVectorSearch>({
      ...clock,
      // From the primary, which knows what has ended.
      load: (search) => runApart(() => load(search)),
      isCurrent: ({ modelId, table }, { model }) => modelId === model.id && !table.isClosed(),
      refresh: (loaded) => runApart(() => refresh(loaded)),
      close: ({ table }) => table.close(),
    })

    /**
     * Returns the nearest vectors that meet the conditions; undefined while they are loaded, and where there are few vectors or
     * too many.
     */
    async function find(search: MemoryVectorSearch): Promise<Neighbour[] | undefined> {
      const loaded = search.stored < fewest ? undefined : cache.get(search)
      return loaded && findInTable(db, loaded, search)
    }

    async function load({ model, stored }: MemoryVectorSearch): Promise<LoadedVectors> {
      opened ??= createVectorPages(maxBytes)
      const pages = opened
      if (stored > pages.countFree() * pages.countPerPage(countBytes(model.dimensions)))
        throw createNoRoomError()
      const sets = await listSets(model.id, stored)
      // Vectors that are stored from here on are not in the snapshot, and come with the first check.
      const view = await readView(db)
      const { dimensions } = model
      const table = createVectorTable({ pages, dimensions, sets: sets.map(({ id }) => id) })
      try {
        await fillTable(table, (after) => readVectors(db, { modelId: model.id, after, limit: readAtOnce }))
      } catch (error) {
        table.close()
        throw error
      }
      return { modelId: model.id, table, sets, view }
    }

    const listSets = async (modelId: number, stored: number) =>
      stored > maxCompared ? cells.refresh(db, modelId) : []

    /** Vectors that were deleted go out of the memory. */
    async function refresh(loaded: LoadedVectors): Promise<boolean> {
      const { modelId, table, sets } = loaded
      const isKept = await forgetGone(
        loaded,
        (after, limit) => readVectorIds(db, { modelId, after, limit }),
        (ids) => checkVectors(db, { modelId, ids, conditions: [], snapshot: loaded.view.snapshot }),
      )
      const current = await listSets(modelId, table.countKept())
      const isSame = current.map(({ id }) => id).join() === sets.map(({ id }) => id).join()
      return isKept && isSame && (sets.length === 0 || table.countWithoutCell() <= maxWithoutCell)
    }

    return { find, untilLoaded: cache.untilLoaded }
  }

  return { openStore }
}
