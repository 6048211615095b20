import type { Database } from '../../../db/connection.ts'
import type { Match } from '../../channels/match.ts'
import type { RankedMatches } from '../ranked-matches.ts'
import { listTextRequirements } from '../text-requirements.queries.ts'
import type { TextSearch } from '../text-search.queries.ts'
import { listCountedWords, planSurroundings, rescoreMatches, type SurroundingsOptions } from './rescoring.ts'
import { readWordsAround } from './surroundings.queries.ts'

/**
 * Scores the messages among the matches by their own words and those of their neighbours, and adds the neighbours of a
 * match that score well although they share no word with the question.
 */
export async function scoreWithSurroundings(
  db: Database,
  search: TextSearch,
  ranked: RankedMatches,
  options: SurroundingsOptions,
): Promise<Match[]> {
  const { matches } = ranked
  const plan = planSurroundings(options)
  const best = matches.slice(0, plan.matchCount).map(({ id }) => id)
  if (best.length === 0) return [...matches]
  const messages = await readWordsAround(db, best, listCountedWords(ranked), {
    contextConditions: options.contextConditions,
    answerConditions: search.conditions,
    requirements: listTextRequirements(search),
    distance: plan.distance,
  })
  const { averageLength } = search.store
  return rescoreMatches(ranked, messages, { ...options, averageLength }).slice(0, search.limit)
}
