import type { Database } from '../db/connection.ts'
import type { Conditions } from '../db/fragments/conditions.ts'
import { findMostSalient } from '../records/index.ts'
import { findCandidateStates } from './candidates.queries.ts'
import { compareMatches, type Match } from './match.ts'
import { findMessagesInPeriods, isDated } from './period-search.queries.ts'
import type { PeriodsInQuestion } from './periods-in-question.ts'
import { listSearchedScopes, type Question } from './question.ts'

/** Of each kind so many are examined: reading the times of more would take longer than the rest of a question. */
const maxExamined = 500

/**
 * Finds the records of the periods of a question that asks for nothing else: they need no word of it. The most important come
 * first. Of records that are no messages, only the most salient are examined, because their times have no index.
 */
export async function findInPeriods(
  db: Database,
  question: Question,
  {
    periods: { ranges, includes },
    conditions,
    limit,
  }: { periods: PeriodsInQuestion; conditions: Conditions; limit: number },
  now: Date,
): Promise<Match[]> {
  const { trust, at } = question
  const scopes = listSearchedScopes(question)
  const others = {
    trust,
    limit: maxExamined,
    asOf: at,
    isReadableOnly: true,
    ...(scopes ? { scopes } : {}),
    conditions: [...conditions, isDated()],
  }
  const [messages, salient] = await Promise.all([
    findMessagesInPeriods(db, { ranges, conditions, scopes, most: maxExamined }),
    findMostSalient(db, others, now),
  ])
  const ids = [...new Set([...messages, ...salient.map(({ id }) => id)])]
  const states = ids.length === 0 ? [] : await findCandidateStates(db, ids, question)
  return states
    .filter(({ created_at: time }) => includes(time))
    .map(({ id, importance }): Match => ({ id, score: 1 + importance }))
    .sort(compareMatches)
    .slice(0, limit)
}
