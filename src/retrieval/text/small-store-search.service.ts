import type { Database } from '../../db/connection.ts'
import { maxWords, pickWords } from './search-plan.ts'
import { countVisible, measureVisible } from './statistics/word-statistics.queries.ts'
import type { Stems } from './stems/stemming.service.ts'
import { findByWords, type RankedSearch, type TextSearch } from './text-search.queries.ts'

/** Searches a store whose records can all be counted for the caller. */
export async function findInSmallStore(
  db: Database,
  shared: Omit<TextSearch, 'store'>,
  stems: Stems,
): Promise<RankedSearch> {
  const search = { ...shared, store: await measureVisible(db, shared.trust) }
  const picked = await pickVisibleWords(db, stems, search)
  const words = picked.map((word) => ({ word, count: null }))
  return { search, ranked: await findByWords(db, search, { words, related: stems.related }) }
}

/** The words that say most, among the records that the caller sees. */
async function pickVisibleWords(
  db: Database,
  { words, occurrences, remarked }: Stems,
  { trust, store: { rows } }: TextSearch,
): Promise<readonly string[]> {
  if (words.length <= maxWords) return words
  const counts = await countVisible(db, trust, words)
  const counted = words.map((word) => ({ word, count: counts.get(word) ?? 0 }))
  return pickWords(counted, { occurrences, remarked, rows }).map(({ word }) => word)
}
