import type { Database } from '../db/connection.ts'
import type { Conditions } from '../db/fragments/conditions.ts'
import { findMostSalient } from '../records/index.ts'
import { compareMatches, type Match } from './match.ts'
import { findMessagesInPeriods, findTimes, isDated } from './period-search.queries.ts'
import type { PeriodsInQuestion } from './periods-in-question.ts'
import { listSearchedScopes, type Question } from './question.ts'

/** Of each kind so many are examined: reading the times of more would take longer than the rest of a question. */
const maxExamined = 500

/** A time of more records says too little about what is asked beside it. docs/quality-experiments.md has the figures. */
const mostBesideWords = 200

/** Of records that are no messages, beside words. To examine 500 took half as long as the whole answer. */
const examinedBesideWords = 100

/**
 * Finds the records of the periods of a question: they need no word of it. The most important come first. Of records that are
 * no messages, only the most salient are examined, because their times have no index.
 */
export async function findInPeriods(
  db: Database,
  question: Question,
  {
    periods: { ranges, includes, isAll },
    conditions,
    limit,
  }: { periods: PeriodsInQuestion; conditions: Conditions; limit: number },
  now: Date,
): Promise<Match[]> {
  const { trust, at } = question
  const scopes = listSearchedScopes(question)
  const others = {
    trust,
    limit: isAll ? maxExamined : examinedBesideWords,
    asOf: at,
    isReadableOnly: true,
    ...(scopes ? { scopes } : {}),
    conditions: [...conditions, isDated()],
  }
  const [messages, salient] = await Promise.all([
    findMessagesInPeriods(db, {
      ranges,
      conditions,
      scopes,
      most: isAll ? maxExamined : mostBesideWords + 1,
    }),
    findMostSalient(db, others, now),
  ])
  if (!isAll && messages.length > mostBesideWords) return []
  const ids = [...new Set([...messages, ...salient.map(({ id }) => id)])]
  const dated = ids.length === 0 ? [] : await findTimes(db, ids)
  const ofPeriods = dated.filter(({ time }) => includes(time))
  if (!isAll && ofPeriods.length > mostBesideWords) return []
  return ofPeriods
    .map(({ id, importance }): Match => ({ id, score: 1 + importance }))
    .sort(compareMatches)
    .slice(0, isAll ? limit : mostBesideWords)
}
