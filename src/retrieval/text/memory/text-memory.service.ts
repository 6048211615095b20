import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Database } from '../../../db/connection.ts'
import { createNoRoomError, fillTable, forgetGone } from '../../../db/memory/learnt-changes.ts'
import { readView } from '../../../db/memory/seen-changes.ts'
import { runApart } from '../../../db/request-scope.ts'
import { fullTrust } from '../../../domain/trust/caller.ts'
import { type CacheClock, createRefreshedCache } from '../../../kernel/refreshed-cache.ts'
import type { StoredText } from './stored-text.ts'
import { checkTexts, readTexts, readUnforgottenIds } from './text-memory.queries.ts'
import {
  type FoundTexts,
  findInTexts,
  type LoadedTexts,
  type MemoryTextSearch,
} from './text-memory-search.service.ts'
import { createTextTable } from './text-table.ts'

export type TextMemory = ReturnType<typeof createTextMemory>
export type StoreTexts = ReturnType<TextMemory['openStore']>

/** The bytes that a message takes, by measurement. Longer texts take more. */
const bytesOfText = 220
/** How many texts are read at once. Adding them to the memory blocks other requests for 3 ms. */
const readAtOnce = 250

const everyone = { trust: fullTrust, answerConditions: [], contextConditions: [] }

type Options = CacheClock & { maxBytes: number }

/** Room for the words of all stores of a process. */
export function createTextMemory({ maxBytes, ...clock }: Options) {
  const tables = new Set<LoadedTexts['table']>()

  const hasRoom = () => [...tables].reduce((sum, table) => sum + table.countBytes(), 0) <= maxBytes

  /** The texts of one store, which no other store finds. */
  function openStore(db: Database) {
    const cache = createRefreshedCache<LoadedTexts, undefined>({
      ...clock,
      // From the primary, which knows what has ended.
      load: () => runApart(load),
      isCurrent: ({ isOutdated }) => !isOutdated,
      refresh: (loaded) => runApart(() => refresh(loaded)),
      close: ({ table }) => tables.delete(table),
    })

    /** Returns the best matches; undefined while the texts are loaded, and where the database must be asked. */
    async function find(search: MemoryTextSearch): Promise<FoundTexts | undefined> {
      const loaded = search.rows * bytesOfText <= maxBytes ? cache.get(undefined) : undefined
      return loaded && findInTexts(db, loaded, search)
    }

    async function load(): Promise<LoadedTexts> {
      // Texts that are stored from here on are not in the snapshot, and come with the first check.
      const view = await readView(db)
      const table = createTextTable()
      tables.add(table)
      try {
        await fillTable(table, readNext)
      } catch (error) {
        tables.delete(table)
        throw error
      }
      return { table, view, hasRoom, isOutdated: false }
    }

    /** Erased and forgotten texts, and the words that were only in them, go out of the memory. */
    async function refresh(loaded: LoadedTexts): Promise<boolean> {
      const { table } = loaded
      const isKept = await forgetGone(
        loaded,
        (after, limit) => readUnforgottenIds(db, after, limit),
        (ids) => checkTexts(db, { ...everyone, ids, snapshot: loaded.view.snapshot }),
      )
      for (let list: number | undefined = 0; list !== undefined; ) {
        list = table.dropGone(list)
        await yieldTurn()
      }
      return isKept
    }

    async function readNext(after: string): Promise<StoredText[]> {
      if (!hasRoom()) throw createNoRoomError()
      return readTexts(db, after, readAtOnce)
    }

    return {
      find,
      describe: (id: string) => cache.peek()?.table.describe(id),
      untilLoaded: cache.untilLoaded,
    }
  }

  return { openStore }
}
