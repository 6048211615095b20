import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { TextQuery } from '../../domain/words/text-query.ts'
import { listContextConditions } from '../filters.queries.ts'
import { type DayRange, toDayRanges } from '../question/periods/periods.ts'
import type { PeriodsInQuestion } from '../question/periods/periods-in-question.ts'
import { listSearchedScopes, type Question } from '../question/question.ts'
import type { QuestionText } from '../question/question-text.ts'
import type { ChannelMatches } from '../scoring/fusion.ts'
import type { createTextSearch, TextStates } from '../text/text-search.service.ts'
import { compareMatches, type Match } from './match.ts'
import { searchNames } from './name-search.service.ts'
import { createVectorMatches, type QueryVector, type VectorChannel } from './vector-matches.service.ts'

export type Channels = VectorChannel & { text: ReturnType<typeof createTextSearch> }

/** The content of the question. Without content the most salient records are returned. */
export type SearchInput = {
  text: QuestionText | undefined
  /** Replaces the vector of the text. */
  queryVector?: QueryVector | undefined
  /** Whether the most salient records are returned where nothing matches the content; by default they are. */
  fallsBack?: boolean
}

export function hasContent({ text, queryVector }: SearchInput): boolean {
  return text !== undefined || queryVector !== undefined
}

export type ChannelSearchOptions = {
  /** How many matches of each channel are read. */
  limit: number
  /** How many records are requested in the end. */
  requested: number
  periods?: PeriodsInQuestion | undefined
  /** Takes the states of the records, where a search reads them anyway. */
  states?: TextStates
  /** The records that the prefilter has listed; the search finds no others. */
  onlyIds?: readonly string[] | undefined
}

type WordSearch = {
  query: TextQuery
  question: Question
  conditions: Conditions
  options: ChannelSearchOptions
}

type Resources = Channels & { db: Database; conversationGapMs: number }

export type ChannelSearch = ReturnType<typeof createChannelSearch>

/** Returns the search of all channels at the same time: words, vectors and names. */
export function createChannelSearch({
  db,
  text: textSearch,
  queryEmbedder,
  vectors,
  conversationGapMs,
}: Resources) {
  const findByVector = createVectorMatches({ queryEmbedder, vectors })

  async function search(
    input: SearchInput,
    question: Question,
    conditions: Conditions,
    options: ChannelSearchOptions,
  ): Promise<ChannelMatches> {
    const { text, queryVector } = input
    const topic = text?.topic ?? ''
    const required = [...conditions, ...(text ? textSearch.listRequirements(text.query) : [])]
    const { limit, states, onlyIds } = options
    const byText = text && searchWordsAndPeriods({ query: text.query, question, conditions, options })
    // By scope only the live records are listed.
    const scopes = question.includesForgotten ? undefined : listSearchedScopes(question)
    const [vector, worded, names] = await Promise.all([
      findByVector({
        text: topic,
        queryVector,
        byText,
        conditions: required,
        scopes,
        limit,
        states,
        onlyIds,
      }),
      byText,
      text && searchNames(db, question, { text: topic, conditions: required, limit }),
    ])
    return { vector, text: worded, graph: names }
  }

  /** If the question names a time, records of that time are found with fewer of its words: "What did Anna do in May?" */
  async function searchWordsAndPeriods(search: WordSearch): Promise<Match[]> {
    const { periods } = search.options
    const all = searchWords(search)
    if (!periods || periods.isAll) return all
    // With `exactCount` a search that finds few records would look at the times of the whole store.
    const near = { days: toDayRanges(periods.ranges), exactCount: 0 }
    const found = await Promise.all([all, searchWords(search, near)])
    return [...new Map(found.flat().map((match) => [match.id, match])).values()].sort(compareMatches)
  }

  function searchWords(
    { query, question, conditions, options: { limit, requested, states, onlyIds } }: WordSearch,
    span: { days?: readonly DayRange[]; exactCount?: number } = {},
  ): Promise<Match[]> {
    const { trust, scopes, types, includesForgotten = false } = question
    const contextConditions = listContextConditions(question)
    const surroundings = { contextConditions, gapMs: conversationGapMs, requested }
    return textSearch.find(db, {
      query,
      trust,
      scopes,
      types,
      conditions,
      limit,
      surroundings,
      states,
      onlyIds,
      includesForgotten,
      ...span,
    })
  }

  return search
}
