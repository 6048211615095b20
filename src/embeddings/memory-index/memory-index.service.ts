import type { Database } from '../../db/connection.ts'
import type { Neighbour } from '../../domain/similarity.ts'
import { nilUuid } from '../../kernel/ids.ts'
import type { CellCache } from '../cells/cell-cache.service.ts'
import { lengthInBytes } from './byte-vectors.ts'
import { readVectors, readView } from './memory-index.queries.ts'
import { findInTable, type LoadedVectors, type MemorySearch } from './memory-search.service.ts'
import { createVectorPages, type VectorPages } from './vector-pages.ts'
import { createVectorTable, type VectorTable } from './vector-table.ts'

export type MemoryIndex = ReturnType<ReturnType<typeof createVectorMemory>['openStore']>

/** Fewer vectors the database compares in less time than it checks some. */
const fewest = 1_000
/** A table is loaded again after this time, and given back when nobody has asked it for so long. */
const keptMs = 10 * 60_000
const retryMs = 60_000
const defaultMostCompared = 250_000
/** To take in so many blocks other requests for 3 ms. */
const readAtOnce = 250

type Options = {
  mostBytes: number
  /** So many vectors are compared in some 5 ms. Of a larger store only those of the nearest cells are. */
  mostCompared?: number
  now?: () => number
  later?: (run: () => void, ms: number) => void
}

/**
 * Room for the vectors of all stores of a process. To compare 10,000 vectors takes 0.3 ms here and 6 ms in PostgreSQL, of
 * processor time.
 */
export function createVectorMemory({
  mostBytes,
  mostCompared = defaultMostCompared,
  now = () => performance.now(),
  later = (run, ms) => void setTimeout(run, ms).unref(),
}: Options) {
  let opened: VectorPages | undefined

  /** The vectors of the serving model of one store, which no other store finds. */
  function openStore({ db, cells }: { db: Database; cells: CellCache }) {
    let loaded: LoadedVectors | undefined
    let loading: Promise<void> | undefined
    let refusedUntil = Number.NEGATIVE_INFINITY
    let askedAt = 0
    let isWatched = false

    /**
     * Returns the nearest vectors that meet the conditions; undefined while they are loaded, and where there are few vectors or
     * too many.
     */
    async function find(search: MemorySearch): Promise<Neighbour[] | undefined> {
      if (search.stored < fewest) return undefined
      askedAt = now()
      if (loaded && !isOutdated(loaded, search)) return findInTable(db, loaded, search)
      // It would be loaded with each question while more is written than a check may return.
      if (loaded?.table.isClosed()) refusedUntil = loaded.at + retryMs
      forget()
      if (now() >= refusedUntil) loading ??= load(search).finally(() => (loading = undefined))
      return undefined
    }

    function isOutdated({ modelId, table, at }: LoadedVectors, { model }: MemorySearch): boolean {
      return modelId !== model.id || table.isClosed() || now() - at >= keptMs
    }

    async function load({ model, stored }: MemorySearch): Promise<void> {
      let table: VectorTable | undefined
      try {
        opened ??= createVectorPages(mostBytes)
        const pages = opened
        if (stored > pages.countFree() * pages.perPage(lengthInBytes(model.dimensions))) throw noRoom()
        const sets = stored > mostCompared ? await cells.refresh(db, model.id) : []
        // What is stored from here on is not in the snapshot, and comes with the first check.
        const view = await readView(db)
        const { dimensions } = model
        table = createVectorTable({ pages, dimensions, sets: sets.map(({ id }) => id) })
        await fill(db, model.id, table)
        loaded = { modelId: model.id, table, sets, view, at: now() }
        watch()
      } catch {
        // The database answers until a later search tries again.
        table?.close()
        refusedUntil = now() + retryMs
      }
    }

    function forget(): void {
      loaded?.table.close()
      loaded = undefined
    }

    /** What was erased must go also where nobody asks. */
    function watch(): void {
      if (isWatched) return
      isWatched = true
      later(() => {
        isWatched = false
        if (now() - askedAt >= keptMs) forget()
        if (loaded) watch()
      }, keptMs)
    }

    return { find, untilLoaded: async () => loading }
  }

  return { openStore }
}

async function fill(db: Database, modelId: number, table: VectorTable): Promise<void> {
  for (let after = nilUuid; ; ) {
    const vectors = await readVectors(db, { modelId, after, limit: readAtOnce })
    if (vectors.some((each) => table.add(each) === 'no room')) throw noRoom()
    const last = vectors.at(-1)
    if (!last) return
    after = last.id
  }
}

function noRoom(): RangeError {
  return new RangeError('There is no room for so many vectors.')
}
