import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { WordStatistics } from './search-plan.ts'
import { keepSteady } from './shared-statistics.ts'
import { countPages, readWordStatistics } from './word-statistics.queries.ts'

const keptMs = 60_000
const pagesKeptMs = 1_000

type CachedStatistics = { lexicon: WordStatistics; pages: number; at: number }

/**
 * The word statistics of at most a minute ago. They are read again in the background, which takes some hundred
 * milliseconds. A request waits only when there are none, or when the store has doubled or halved since.
 */
export function createWordStatistics({ clock, fewPages }: { clock: Clock; fewPages: number }) {
  let held: CachedStatistics | undefined
  let reading: Promise<CachedStatistics> | undefined
  let size: { pages: number; at: number } | undefined

  function renew(db: Database, pages: number): Promise<CachedStatistics> {
    reading ??= readWordStatistics(db)
      .then((read) => {
        held = { lexicon: keepSteady(held?.lexicon, read), pages, at: clock.now().getTime() }
        return held
      })
      .finally(() => (reading = undefined))
    return reading
  }

  /**
   * Returns the size of the table. For a large table it is up to a second old and is refreshed in the background.
   */
  async function pagesOf(db: Database): Promise<number> {
    if (!size || size.pages <= 2 * fewPages) return (await measure(db)).pages
    const age = clock.now().getTime() - size.at
    if (age > pagesKeptMs || age < 0) measure(db).catch(() => undefined)
    return size.pages
  }

  async function measure(db: Database) {
    const pages = await countPages(db)
    size = { pages, at: clock.now().getTime() }
    return size
  }

  async function readLexicon(db: Database, pages: number): Promise<WordStatistics> {
    const isNear = held !== undefined && pages < 2 * held.pages && held.pages < 2 * pages
    if (!held || !isNear) return (await renew(db, pages)).lexicon
    const age = clock.now().getTime() - held.at
    // A clock that was set back must not keep old statistics for ever. A failed read is repeated by the next search.
    if (age > keptMs || age < 0) renew(db, pages).catch(() => undefined)
    return held.lexicon
  }

  return { pagesOf, readLexicon }
}
