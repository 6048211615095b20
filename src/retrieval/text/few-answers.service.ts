import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { TextQuery } from '../../domain/words/query-words.ts'
import { writeTypeWord } from './filter-words.ts'
import { listFew, listFewOfAll, listRecordRequirements } from './text-requirements.queries.ts'
import type { createWordStatistics } from './word-statistics.service.ts'
import { estimateShare, type WordStatistics } from './word-statistics.ts'

export type FewSearch = {
  query: TextQuery
  conditions: Conditions
  tags: readonly string[] | undefined
  types: readonly string[] | undefined
  /** Whether there are filters that no index answers. */
  isFiltered: boolean
}

/** Whether records of these types are few is worth a statement only if it is likely. */
const mostRare = 2_000
/** Reading so many records takes less time than looking up the thousand best, of which hardly any meet the filters. */
const mostRead = 20_000

type Resources = {
  textLanguage: string
  statistics: Pick<ReturnType<typeof createWordStatistics>, 'readStatisticsIfLarge'>
}

/**
 * Returns a function that lists the records that can be an answer, where the quotes, the tags, the types or other filters of a
 * question leave few; undefined where they leave very many, or it has none. In a small store every search reads all records anyway.
 */
export function createFewAnswers({ textLanguage, statistics: { readStatisticsIfLarge } }: Resources) {
  return async (
    db: Database,
    { query, tags, types, isFiltered, conditions }: FewSearch,
  ): Promise<string[] | undefined> => {
    const isIndexed = query.phrases.length > 0 || tags !== undefined
    const statistics = types || (isFiltered && !isIndexed) ? await readStatisticsIfLarge(db) : undefined
    const words = types && statistics && listRareWords(types, statistics)
    const required = [...conditions, ...listRecordRequirements({ query, textLanguage })]
    if (isIndexed || words) return listFew(db, { query, textLanguage, tags, words }, required)
    const isRead = isFiltered && statistics !== undefined && statistics.rows <= mostRead
    return isRead ? listFewOfAll(db, required) : undefined
  }
}

/** Undefined if many records have these types. */
function listRareWords(types: readonly string[], statistics: WordStatistics): string[] | undefined {
  const words = types.map(writeTypeWord)
  return statistics.rows * estimateShare([words], statistics) < mostRare ? words : undefined
}
