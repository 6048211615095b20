import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { compareMatches, type Match } from '../match.ts'
import { countWords, findSurroundings, type Surroundings, type WordsOfMessage } from './context.queries.ts'
import { reach, scoreInContext } from './context-score.ts'
import type { RankedMatches, TextSearch } from './text-search.queries.ts'
import { listDemands } from './word-conditions.queries.ts'

export type ContextOptions = {
  /** On `records as r`: which messages may lend their words to their neighbours. */
  lending: readonly RawBuilder<SqlBool>[]
  /** A longer pause between two messages ends the context. */
  gapMs: number
}

/** So many of the best matches have their neighbours looked at. More found nothing more in any of the corpora. */
const mostHits = 50

/**
 * Scores the messages among the matches by their own words and those of their neighbours, and adds the neighbours of a
 * match that score well although they share no word with the question.
 */
export async function addContext(
  db: Database,
  search: TextSearch,
  { matches, idfs }: RankedMatches,
  { lending, gapMs }: ContextOptions,
): Promise<Match[]> {
  const hits = matches.slice(0, mostHits).map(({ id }) => id)
  if (hits.length === 0) return [...matches]
  const found = await findSurroundings(db, hits, lending, 2 * reach)
  if (found.length === 0) return [...matches]
  const ids = [...new Set(found.flatMap((each) => each.ids))]
  const words = [...idfs.keys()]
  const counted = await countWords(db, ids, words, [...search.conditions, ...listDemands(search)])
  const wordsById = new Map(counted.map((each) => [each.id, each]))
  const scores = new Map(matches.map(({ id, score }) => [id, score]))
  const weights = [...idfs.values()]
  for (const each of found) {
    const { messages, first } = withinSession(each, wordsById, gapMs)
    messages.forEach((message, place) => {
      if (!message.is_answer || Math.abs(place - first) > reach) return
      scores.set(message.id, scoreInContext(messages, place, weights, search.store))
    })
  }
  return Array.from(scores, ([id, score]) => ({ id, score }))
    .filter(({ score }) => score > 0)
    .sort(compareMatches)
    .slice(0, search.limit)
}

type Session = { messages: readonly WordsOfMessage[]; first: number }

/** The part of the surroundings without a pause, and where the match stands in it. */
function withinSession(
  { hit, ids, times }: Surroundings,
  wordsById: ReadonlyMap<string, WordsOfMessage>,
  gapMs: number,
): Session {
  const at = ids.indexOf(hit)
  const isPause = (one: number) => (times[one + 1]?.getTime() ?? 0) - (times[one]?.getTime() ?? 0) > gapMs
  let [from, to] = [at, at]
  while (from > 0 && !isPause(from - 1)) from--
  while (to < ids.length - 1 && !isPause(to)) to++
  // Forgotten between two statements: a message that is gone lends nothing.
  const messages = ids.slice(from, to + 1).flatMap((id) => wordsById.get(id) ?? [])
  return { messages, first: messages.findIndex(({ id }) => id === hit) }
}
