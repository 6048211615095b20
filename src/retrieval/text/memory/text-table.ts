import type { Version } from '../../../db/memory/learnt-changes.ts'
import { createBestPlaces, type ScoredPlace } from '../../../kernel/collections/best-places.ts'
import { createGrowingArray } from '../../../kernel/collections/growing-array.ts'
import { createUuidPlaces } from '../../../kernel/collections/uuid-places.ts'
import type { KnownText } from '../../scoring/record-traits.ts'
import { k1 } from '../bm25.ts'
import type { StoreSize } from '../statistics/word-statistics.ts'
import { addForms } from '../stems/word-forms.ts'
import type { MessageWords } from '../surroundings/surroundings-score.ts'
import { createConversationOrder } from './conversation-order.ts'
import { type DayNumbers, includesDay, toDayNumber } from './day-numbers.ts'
import { maxPlaces } from './posting-lists.ts'
import { createRecordGroups, goneGroup, type Searched } from './record-groups.ts'
import { readSearchVector } from './search-vector.ts'
import { createStatementList, isStatement } from './statement-list.ts'
import type { StoredText } from './stored-text.ts'
import { createTextScores } from './text-scores.ts'
import { createTraitList } from './trait-list.ts'
import { countTexts, countWords } from './word-counts.ts'
import { createWordLists } from './word-lists.ts'
import { type QueryWords, type WordWeights, weighWords } from './word-weights.ts'

/** The best, the highest score first, and what the words count among the texts that are searched. */
export type TextRanking = { best: readonly ScoredPlace[] } & Pick<WordWeights, 'idfs' | 'related'>

type RankOptions = Pick<StoreSize, 'averageLength'> & {
  days?: DayNumbers | undefined
  onlyIds?: readonly string[] | undefined
  most: number
  /** Those of the words whose other forms are searched too. */
  inflected: readonly string[]
} & Pick<QueryWords, 'occurrences' | 'remarked' | 'related'>

export type TextTable = ReturnType<typeof createTextTable>

/**
 * The words of the texts of one store in the memory of the process. A text that changes or goes leaves its place empty until the
 * table is loaded again.
 */
export function createTextTable() {
  // By the place of a text:
  const ids = createUuidPlaces()
  const versions = createGrowingArray(Float64Array)
  const groupOf = createGrowingArray(Uint32Array)
  const lengths = createGrowingArray(Uint32Array)
  const traits = createTraitList()
  const days = createGrowingArray(Uint32Array)
  const times = createGrowingArray(Float64Array)
  const statements = createStatementList()
  const conversations = createConversationOrder()
  const groups = createRecordGroups()
  /** How many texts each group has, by its number. */
  const sizes = [0]
  const lists = createWordLists()
  const scores = createTextScores(lists.postings)

  /** Stores a text, in the place of what is known of it. Returns whether there was room. */
  function add(stored: StoredText): boolean {
    const { id, version, scope, message } = stored
    if (ids.length === maxPlaces) return false
    remove(id)
    const place = ids.push(id)
    const group = groups.assignNumber(stored)
    sizes[group] = (sizes[group] ?? 0) + 1
    for (const transaction of version) versions.push(transaction)
    groupOf.push(group)
    lengths.push(stored.words)
    traits.push({ ...stored, isOfAssistant: message?.isOfAssistant ?? false })
    days.push(toDayNumber(stored.day))
    // A scope may have spaces, as may the name of a conversation.
    const conversation = JSON.stringify([scope, message?.conversation])
    conversations.push(message ? { ...message, conversation } : undefined)
    times.push(stored.time)
    const contained: number[] = []
    readSearchVector(stored.search, (word, count) => contained.push(lists.add(word, place, count)))
    statements.push(isStatement(stored) ? contained : null)
    return true
  }

  /** Undefined for a text that is not here. */
  function findVersion(id: string): Version | undefined {
    const place = ids.findPlace(id)
    return place === undefined ? undefined : Array.from(versions.values.subarray(2 * place, 2 * place + 2))
  }

  function remove(id: string): void {
    const place = ids.findPlace(id)
    if (place === undefined) return
    ids.remove(id)
    const group = groupOf.values[place] ?? goneGroup
    sizes[group] = (sizes[group] ?? 0) - 1
    groupOf.values[place] = goneGroup
    conversations.remove(place)
  }

  /** Takes the words of texts that have gone out of the memory, from a list on. Returns the next list; undefined at the end. */
  function dropGone(from: number): number | undefined {
    return lists.drop(from, (place) => groupOf.values[place] === goneGroup)
  }

  /** Ranks by BM25 the texts that contain one of the words, among those that a search reads. */
  function rank(
    words: readonly string[],
    searched: Searched,
    { occurrences, remarked, related, inflected, ...options }: RankOptions,
  ): TextRanking {
    const isSearched = groups.listSearched(searched)
    const rows = sizes.reduce((sum, size, group) => sum + (isSearched[group] ? size : 0), 0)
    const texts = { isSearched, group: groupOf.values }
    const count = (word: string, most?: number) => countTexts(lists.postings, lists.find(word), texts, most)
    const listWords = (beginning: string) => lists.listWords(beginning).filter((word) => count(word, 0) > 0)
    const standIns = addForms({ words, inflected, related }, listWords)
    const { weights, ...rarity } = weighWords(
      { words, occurrences, remarked, related: standIns },
      count,
      rows,
    )
    return { ...rarity, best: findBest(weights, isSearched, options) }
  }

  function findBest(
    weights: WordWeights['weights'],
    isSearched: Uint8Array,
    { averageLength, days, onlyIds, most }: Omit<RankOptions, keyof QueryWords | 'inflected'>,
  ): readonly ScoredPlace[] {
    const words = weights.map(([word, weight]) => ({ list: lists.find(word), weight: weight * (k1 + 1) }))
    const texts = { isSearched, group: groupOf.values, length: lengths.values, count: ids.length }
    const places = onlyIds && new Set(onlyIds.map(ids.findPlace))
    // The best of some texts need not be among the best of all.
    const found = scores.add({ words, texts, averageLength, enough: days || places ? undefined : most })
    const best = createBestPlaces(most)
    scores.take(found, (place, score) => {
      if (isOfDays(place, days) && (places?.has(place) ?? true))
        best.offer(place, Math.round(score * 1e9) / 1e9)
    })
    return best.list()
  }

  function describe(id: string): KnownText | undefined {
    const place = ids.findPlace(id)
    if (place === undefined) return undefined
    return {
      created_at: new Date(times.values[place] ?? 0),
      words: statements.read(place, lists.words),
      speaker: conversations.getSpeaker(place),
      isOfAssistant: traits.has(place, 'isOfAssistant'),
      isOnlyName: traits.has(place, 'isOnlyName'),
      statesOnlyFact: traits.has(place, 'statesOnlyFact'),
      isGuidance: traits.has(place, 'isGuidance'),
      onlyAsks: traits.has(place, 'onlyAsks'),
    }
  }

  /** Whether a text is of one of the days. Every text is if there are no days. */
  function isOfDays(place: number, ranges: DayNumbers | undefined): boolean {
    return !ranges || includesDay(ranges, days.values[place] ?? 0)
  }

  /** A message without its words. Undefined for a text that has gone. */
  function readMessage(place: number): Omit<MessageWords, 'counts'> | undefined {
    if (groupOf.values[place] === goneGroup) return undefined
    return {
      words: lengths.values[place] ?? 0,
      asks: traits.has(place, 'asks'),
      speaker: conversations.getSpeakerNumber(place),
    }
  }

  return {
    add,
    remove,
    findVersion,
    dropGone,
    rank,
    describe,
    isOfDays,
    /** For each of some places, how often its text contains each of `words`. */
    countWords: (places: readonly number[], words: readonly string[]) =>
      countWords(lists.postings, words.map(lists.find), places),
    readMessage,
    countAdded: () => ids.length,
    /** How many texts are here; those that have gone are not. */
    countKept: () => sizes.reduce((sum, size, group) => sum + (group === goneGroup ? 0 : size), 0),
    findPlace: ids.findPlace,
    getId: ids.getId,
    findSurroundings: conversations.findSurroundings,
    /** How much memory the table takes, roughly. */
    countBytes: () =>
      [ids, conversations, lists, statements, scores, versions, groupOf, lengths, traits, days, times].reduce(
        (sum, { bytes }) => sum + bytes,
        0,
      ),
  }
}
