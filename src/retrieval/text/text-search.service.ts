import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { CheckedStates } from '../../db/memory/checked-records.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import type { TextQuery } from '../../domain/words/text-query.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isOfDays } from '../candidates/record-columns.queries.ts'
import type { Match } from '../channels/match.ts'
import type { DayRange } from '../question/periods/periods.ts'
import type { KnownText } from '../scoring/record-traits.ts'
import { listFilterWords } from './filter-words.ts'
import { createLargeStoreSearch } from './large-store-search.service.ts'
import { numberDays } from './memory/day-numbers.ts'
import type { StoreTexts } from './memory/text-memory.service.ts'
import { createPrefilter } from './prefilter.service.ts'
import { findInSmallStore } from './small-store-search.service.ts'
import { createWordStatistics } from './statistics/word-statistics.service.ts'
import { maxRelatedOfSentence } from './stems/related-stems.ts'
import { createStemmer, type Stems } from './stems/stemming.service.ts'
import { listStoredCorrections } from './stems/stored-corrections.ts'
import { findWordsWithBeginnings } from './stems/word-forms.queries.ts'
import { addForms, getBeginning, listBeginnings } from './stems/word-forms.ts'
import { planSurroundings, rescoreMatches, type SurroundingsOptions } from './surroundings/rescoring.ts'
import { scoreWithSurroundings } from './surroundings/surroundings.service.ts'
import { listRecordRequirements } from './text-requirements.queries.ts'

export type TextStates = CheckedStates & {
  /** The text of a record in memory. Present after a search that memory has answered, so it is not behind. */
  describe?: (id: string) => KnownText | undefined
}

export type TextSearchInput = {
  query: TextQuery
  trust: Trust
  /** Applied by the index itself; `conditions` are only checked after a matching row is read. */
  scopes?: readonly string[] | undefined
  types?: readonly string[] | undefined
  conditions: Conditions
  /** Only records of these days. */
  days?: readonly DayRange[]
  /** The records that the prefilter has listed; the search finds no others. */
  onlyIds?: readonly string[] | undefined
  limit: number
  /** How many of the best results must be exact; 10 by default. Later results may be in a cheaper order. */
  exactCount?: number
  /** Score messages by their neighbours in the conversation too. */
  surroundings?: SurroundingsOptions
  /** Takes the states of the records, where a search reads them anyway. */
  states?: TextStates | undefined
  /** Whether forgotten records are searched too. */
  includesForgotten?: boolean
}

/** 1 MB, some hundred records. Counting those that the caller sees takes less than a millisecond. */
const defaultSmallStorePages = 128

type Resources = {
  clock: Clock
  textLanguage: string
  /** The words in the memory of the process. */
  memory?: StoreTexts | undefined
  /** A store with at most this many pages of texts is small: its records are counted for each caller. */
  smallStorePages?: number
}

/**
 * Text search by BM25. Records that the caller may not see are not found and do not count in the frequency of rare
 * words. One exception: in a larger store the number of records, the mean length and the frequency of common words
 * are estimated from all records, once a minute or when the store has doubled, and are so coarse that no single
 * record moves them. Counting them for each caller would read all records.
 */
export function createTextSearch({
  clock,
  textLanguage,
  memory,
  smallStorePages = defaultSmallStorePages,
}: Resources) {
  const statistics = createWordStatistics({ clock, smallStorePages })
  const { readPageCount, readStatistics } = statistics
  const stemmer = createStemmer({ textLanguage })
  const findInLargeStore = createLargeStoreSearch({ clock })

  /** Returns the best matches of a query, best first; ties by id. */
  async function find(db: Database, input: TextSearchInput): Promise<Match[]> {
    const { query, trust, days, limit, exactCount = 10, includesForgotten = false } = input
    const conditions = days ? [...input.conditions, isOfDays(days)] : input.conditions
    if (query.alternatives === '') return []
    const [spelled, pages] = await Promise.all([stemmer.findQueryStems(db, query), readPageCount(db)])
    if (spelled.words.length === 0) return []
    const corrected = await addStoredCorrections(db, spelled, pages)
    const isLarge = pages > smallStorePages
    const inMemory = isLarge ? await findInMemory(db, input, { stems: corrected, pages }) : undefined
    if (inMemory) return inMemory
    const stems = await addStoredForms(db, input, corrected)
    const shared = {
      trust,
      conditions,
      limit,
      query,
      textLanguage,
      remarked: stems.remarked,
      includesForgotten,
      filterWords: listFilterWords(input),
    }
    const { search, ranked } = isLarge
      ? await findInLargeStore(db, shared, {
          stems,
          statistics: await readStatistics(db, pages),
          exactCount,
          scopes: input.scopes,
        })
      : await findInSmallStore(db, shared, stems)
    return input.surroundings ? scoreWithSurroundings(db, search, ranked, input.surroundings) : ranked.matches
  }

  /** Adds the words of the store that misspelled words may mean. */
  async function addStoredCorrections(db: Database, stems: Stems, pages: number): Promise<Stems> {
    if (stems.unknown.length === 0) return stems
    const { counts } = await readStatistics(db, pages)
    const listed = new Set([...stems.words, ...stems.related.map(({ word }) => word)])
    const corrections = stems.unknown.flatMap((stem) => listStoredCorrections(stem, counts))
    const added = corrections.filter(({ word }) => !listed.has(word))
    return { ...stems, related: [...added, ...stems.related].slice(0, maxRelatedOfSentence) }
  }

  /** Adds other forms of words that are of another language. The search in memory knows them itself. */
  async function addStoredForms(db: Database, input: TextSearchInput, stems: Stems): Promise<Stems> {
    const beginnings = listBeginnings(stems.inflected)
    if (beginnings.length === 0) return stems
    const found = Map.groupBy(await findWordsWithBeginnings(db, input, beginnings), getBeginning)
    return { ...stems, related: addForms(stems, (beginning) => found.get(beginning) ?? []) }
  }

  /** Undefined if the database must be asked. */
  async function findInMemory(
    db: Database,
    {
      query,
      trust,
      scopes,
      types,
      days,
      onlyIds,
      conditions,
      limit,
      surroundings,
      states,
      includesForgotten,
    }: TextSearchInput,
    { stems, pages }: { stems: Stems; pages: number },
  ): Promise<Match[] | undefined> {
    if (!memory || includesForgotten || query.phrases.length > 0 || query.excluded.length > 0)
      return undefined
    const { averageLength, rows } = await readStatistics(db, pages)
    const found = await memory.find({
      words: stems.words,
      occurrences: stems.occurrences,
      remarked: stems.remarked,
      related: stems.related,
      inflected: stems.inflected,
      averageLength,
      rows,
      limit,
      states,
      searched: { trust, scopes, types },
      days: days && numberDays(days),
      onlyIds,
      answerConditions: conditions,
      contextConditions: surroundings?.contextConditions ?? [],
      surroundings: surroundings && { ...planSurroundings(surroundings), gapMs: surroundings.gapMs },
    })
    if (found && states) states.describe = memory.describe
    if (!found || !surroundings) return found?.ranked.matches
    return rescoreMatches(found.ranked, found.messages, { ...surroundings, averageLength }).slice(0, limit)
  }

  /** The requirements of a question for each answer, as conditions on `records as r`. */
  function listRequirements(query: TextQuery): Conditions {
    return listRecordRequirements({ query, textLanguage })
  }

  return {
    find,
    prefilter: createPrefilter({ textLanguage, statistics }),
    findQueryStems: stemmer.findQueryStems,
    findTextStems: stemmer.findTextStems,
    listRequirements,
  }
}
