import type { Database } from '../../../db/connection.ts'
import type { Conditions } from '../../../db/fragments/conditions.ts'
import type { CheckedStates } from '../../../db/memory/checked-records.ts'
import { learnChanges } from '../../../db/memory/learnt-changes.ts'
import type { View } from '../../../db/memory/seen-changes.ts'
import { compareMatches, type Match } from '../../channels/match.ts'
import type { RankedMatches } from '../ranked-matches.ts'
import type { Occurrences } from '../search-plan.ts'
import type { RelatedStem, WeighedStem } from '../stems/related-stems.ts'
import { listCountedWords } from '../surroundings/rescoring.ts'
import type { ConversationMessage } from '../surroundings/surroundings.queries.ts'
import type { DayNumbers } from './day-numbers.ts'
import {
  createMessageSurroundings,
  type RecordCheck,
  type SurroundingsLimits,
} from './message-surroundings.ts'
import type { Searched } from './record-groups.ts'
import { checkTexts } from './text-memory.queries.ts'
import type { TextTable } from './text-table.ts'

export type MemoryTextSearch = {
  words: readonly string[]
  occurrences: Occurrences
  /** Those of `words` that only stand in remarks beside the question. */
  remarked: ReadonlySet<string>
  related: readonly RelatedStem[]
  /** Those of `words` whose other forms are searched too. */
  inflected: readonly string[]
  averageLength: number
  /** About how many texts the store has. */
  rows: number
  searched: Searched
  /** Only records of these days. */
  days?: DayNumbers | undefined
  /** Only these records. */
  onlyIds?: readonly string[] | undefined
  limit: number
  states?: CheckedStates | undefined
  /** Which records may be an answer; on `records as r`. */
  answerConditions: Conditions
  /** Which messages count for those around them; on `records as r`. */
  contextConditions: Conditions
  /** Where the messages around the best matches are requested too. */
  surroundings?: SurroundingsLimits | undefined
}

export type FoundTexts = { ranked: RankedMatches; messages: ConversationMessage[] }

export type LoadedTexts = {
  table: TextTable
  /** The transactions that the table includes: all that any of several servers has shown. */
  view: View
  /** Whether the texts of all stores of the process have room. */
  hasRoom: () => boolean
  isOutdated: boolean
}

/** A few more than requested are examined, because some records do not meet the conditions of the question. */
const spare = 10
/** If the conditions leave so few records that more must be examined, PostgreSQL finds them with less work. */
const maxExamined = 1_000
/** A question that meets new texts is asked again with these among them. */
const maxRounds = 6

type Checks = Map<string, RecordCheck>

type Ranking = {
  matches: (Match & { place: number })[]
  idfs: ReadonlyMap<string, number>
  related: readonly WeighedStem[]
  isAll: boolean
  /** How many texts the table had got until then. */
  added: number
}

/**
 * Returns the best matches that meet the conditions, with the messages around them; undefined where the database must be asked.
 * PostgreSQL checks every record that is found, and sends with each check the texts that are new.
 */
export async function findInTexts(
  db: Database,
  loaded: LoadedTexts,
  search: MemoryTextSearch,
): Promise<FoundTexts | undefined> {
  const { table } = loaded
  const { limit } = search
  const known: Checks = new Map()
  const surroundings = createMessageSurroundings(table, known, search)
  let examined = limit + spare
  let ranking: Ranking | undefined
  for (let round = 1; round <= maxRounds; round++) {
    ranking ??= rank(table, search, examined)
    const likely = ranking.matches.filter(({ id }) => known.get(id)?.isAnswer !== false)
    const ids = [...ranking.matches.map(({ id }) => id), ...surroundings.lookAround(likely)]
    if (!(await learn(db, loaded, search, { ids, known }))) return undefined
    // A text that was added meanwhile, by this check or that of another question, may be better.
    if (table.countAdded() !== ranking.added) {
      ranking = undefined
      continue
    }
    const met = ranking.matches.filter(({ id }) => known.get(id)?.isAnswer)
    if (met.length < limit && !ranking.isAll) {
      examined = Math.ceil((1.5 * limit * examined) / Math.max(1, met.length))
      if (examined > maxExamined) return undefined
      ranking = undefined
      continue
    }
    if (surroundings.widen(met)) continue
    const { idfs, related } = ranking
    const matches = met.slice(0, limit).map(({ id, score }) => ({ id, score }))
    const ranked = { matches, idfs, related }
    return { ranked, messages: surroundings.listMessages(met, listCountedWords(ranked)) }
  }
  return undefined
}

function rank(table: TextTable, search: MemoryTextSearch, examined: number): Ranking {
  const { best, ...rarity } = table.rank(search.words, search.searched, { ...search, most: examined })
  const matches = best.map(({ place, score }) => ({ id: table.getId(place), score, place }))
  const added = table.countAdded()
  return { matches: matches.sort(compareMatches), ...rarity, isAll: best.length < examined, added }
}

/** Asks the database for records that are not known yet. Returns whether the table can still be used. */
async function learn(
  db: Database,
  loaded: LoadedTexts,
  { searched: { trust }, answerConditions, contextConditions, states }: MemoryTextSearch,
  { ids, known }: { ids: readonly string[]; known: Checks },
): Promise<boolean> {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0 && known.size > 0) return true
  const { snapshot } = loaded.view
  const check = { trust, ids: unknown, answerConditions, contextConditions, states, snapshot }
  const checked = await checkTexts(db, check)
  for (const id of unknown) known.set(id, { isAnswer: false, isContext: false })
  for (const id of checked.answerIds) known.set(id, { isAnswer: true, isContext: false })
  for (const id of checked.contextIds)
    known.set(id, { isAnswer: known.get(id)?.isAnswer ?? false, isContext: true })
  const isLearnt = !loaded.isOutdated && learnChanges(loaded, checked)
  loaded.isOutdated = !isLearnt || (checked.changed.length > 0 && !loaded.hasRoom())
  return !loaded.isOutdated
}
