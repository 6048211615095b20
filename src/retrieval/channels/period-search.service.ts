import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import { findMostSalient } from '../../records/index.ts'
import type { PeriodsInQuestion } from '../question/periods/periods-in-question.ts'
import { listSearchedScopes, type Question } from '../question/question.ts'
import { compareMatches, type Match } from './match.ts'
import { findMessagesInPeriods, findTimes, isDated } from './period-search.queries.ts'

/** The most messages, and the most other records, that are examined. To read more times would take longer than the rest of a question. */
const maxExamined = 500

/** If a time has more records, it says too little about the other words of the question. docs/quality-experiments.md has the figures. */
const maxBesideWords = 200

/** The most other records that are examined if the question has words too. To examine 500 took half as long as the whole answer. */
const maxExaminedBesideWords = 100

/**
 * Finds the records of the periods of a question: they need no word of it. The most important come first. Records that are no
 * messages have no index by time, so only the most salient of them are examined. Undefined if the periods have too many records.
 */
export async function findInPeriods(
  db: Database,
  question: Question,
  {
    periods: { ranges, includes, isAll },
    conditions,
    limit,
  }: { periods: PeriodsInQuestion; conditions: Conditions; limit: number },
): Promise<Match[] | undefined> {
  const { trust, now, at } = question
  const scopes = listSearchedScopes(question)
  const others = {
    trust,
    limit: isAll ? maxExamined : maxExaminedBesideWords,
    asOf: at,
    isReadableOnly: true,
    scopes,
    conditions: [...conditions, isDated()],
  }
  const [messages, salient] = await Promise.all([
    findMessagesInPeriods(db, {
      ranges,
      conditions,
      scopes,
      limit: isAll ? maxExamined : maxBesideWords + 1,
    }),
    findMostSalient(db, others, now),
  ])
  if (!isAll && messages.length > maxBesideWords) return undefined
  const ids = [...new Set([...messages, ...salient.map(({ id }) => id)])]
  const dated = ids.length === 0 ? [] : await findTimes(db, ids)
  const ofPeriods = dated.filter(({ time }) => includes(time))
  if (!isAll && ofPeriods.length > maxBesideWords) return undefined
  return ofPeriods
    .map(toMatch)
    .sort(compareMatches)
    .slice(0, isAll ? limit : maxBesideWords)
}

/** Adds the records of the periods that another search has found, among which are those without an index by time. */
export function addFoundInPeriods(
  time: readonly Match[],
  found: readonly { id: string; importance: number; created_at: Date }[],
  { includes }: PeriodsInQuestion,
): Match[] {
  const listed = new Set(time.map(({ id }) => id))
  const added = found.filter(({ id, created_at: at }) => !listed.has(id) && includes(at))
  return [...time, ...added.map(toMatch)].sort(compareMatches)
}

function toMatch({ id, importance }: { id: string; importance: number }): Match {
  return { id, score: 1 + importance }
}
