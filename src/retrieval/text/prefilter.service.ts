import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { TextQuery } from '../../domain/words/text-query.ts'
import { writeTypeWord } from './filter-words.ts'
import { prefilterAll, prefilterByIndex } from './prefilter.queries.ts'
import type { createWordStatistics } from './statistics/word-statistics.service.ts'
import { estimateShare, type WordStatistics } from './statistics/word-statistics.ts'
import { listRecordRequirements } from './text-requirements.queries.ts'

export type Filters = {
  query: TextQuery
  conditions: Conditions
  tags: readonly string[] | undefined
  types: readonly string[] | undefined
  /** Whether there are filters that no index answers. */
  isFiltered: boolean
}

/** If the statistics expect more records of some types, they are not listed first. */
const maxOfRareTypes = 2_000
/** Reading so many records takes less time than looking up the thousand best, of which hardly any meet the filters. */
const maxScanned = 20_000

type Resources = {
  textLanguage: string
  statistics: Pick<ReturnType<typeof createWordStatistics>, 'readStatisticsIfLarge'>
}

/**
 * Returns the prefilter of a question: it lists the records that meet its filters (quotes, tags, types and others), so that every
 * search looks among these alone. Undefined if the filters leave too many, or there are none. A small store needs none, because every
 * search reads all records anyway.
 */
export function createPrefilter({ textLanguage, statistics: { readStatisticsIfLarge } }: Resources) {
  return async (
    db: Database,
    { query, tags, types, isFiltered, conditions }: Filters,
  ): Promise<string[] | undefined> => {
    const isIndexed = query.phrases.length > 0 || tags !== undefined
    const statistics = types || (isFiltered && !isIndexed) ? await readStatisticsIfLarge(db) : undefined
    const words = types && statistics && listRareWords(types, statistics)
    const required = [...conditions, ...listRecordRequirements({ query, textLanguage })]
    if (isIndexed || words) return prefilterByIndex(db, { query, textLanguage, tags, words }, required)
    const isRead = isFiltered && statistics !== undefined && statistics.rows <= maxScanned
    return isRead ? prefilterAll(db, required) : undefined
  }
}

/** Undefined if many records have these types. */
function listRareWords(types: readonly string[], statistics: WordStatistics): string[] | undefined {
  const words = types.map(writeTypeWord)
  return statistics.rows * estimateShare([words], statistics) < maxOfRareTypes ? words : undefined
}
