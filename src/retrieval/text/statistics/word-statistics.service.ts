import type { Database } from '../../../db/connection.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { shareRunning } from '../../../kernel/shared-runs.ts'
import { replaceChanged } from './shared-statistics.ts'
import { countPages, readWordStatistics } from './word-statistics.queries.ts'
import type { WordStatistics } from './word-statistics.ts'

const keptMs = 60_000
const pagesKeptMs = 1_000

type CachedStatistics = { statistics: WordStatistics; pages: number; at: number }

/**
 * The word statistics of at most a minute ago. They are read again in the background, which takes some hundred
 * milliseconds. A request waits only when there are none, or when the store has doubled or halved since.
 */
export function createWordStatistics({ clock, smallStorePages }: { clock: Clock; smallStorePages: number }) {
  let cached: CachedStatistics | undefined
  let size: { pages: number; at: number } | undefined

  const renew = shareRunning(async (db: Database, pages: number): Promise<CachedStatistics> => {
    const read = await readWordStatistics(db)
    cached = { statistics: replaceChanged(cached?.statistics, read), pages, at: clock.now().getTime() }
    return cached
  })

  /**
   * Returns the size of the table. For a large table it is up to a second old and is refreshed in the background.
   */
  async function readPageCount(db: Database): Promise<number> {
    if (!size || size.pages <= 2 * smallStorePages) return (await measure(db)).pages
    const age = clock.now().getTime() - size.at
    if (age > pagesKeptMs || age < 0) measureAgain(db).catch(() => undefined)
    return size.pages
  }

  async function measure(db: Database) {
    const pages = await countPages(db)
    size = { pages, at: clock.now().getTime() }
    return size
  }

  /** Questions that come during one measurement would otherwise each begin another. */
  const measureAgain = shareRunning(measure)

  async function readStatistics(db: Database, pages: number): Promise<WordStatistics> {
    const isNear = cached !== undefined && pages < 2 * cached.pages && cached.pages < 2 * pages
    if (!cached || !isNear) return (await renew(db, pages)).statistics
    const age = clock.now().getTime() - cached.at
    // A clock that was set back must not keep old statistics for ever. A failed read is repeated by the next search.
    if (age > keptMs || age < 0) renew(db, pages).catch(() => undefined)
    return cached.statistics
  }

  /** Undefined for a small store, in which they are counted for each caller. */
  async function readStatisticsIfLarge(db: Database): Promise<WordStatistics | undefined> {
    const pages = await readPageCount(db)
    return pages > smallStorePages ? readStatistics(db, pages) : undefined
  }

  return { readPageCount, readStatistics, readStatisticsIfLarge }
}
