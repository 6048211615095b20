import { type SqlBool, sql } from 'kysely'
import { type Conditions, joinConditions } from '../db/fragments/conditions.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import { computeSalienceAtInstant, isValidAtInstant, selectStatus } from './instant/instant-state.queries.ts'
import type { Question } from './question/question.ts'

/** How much of a record the caller must see. `whole`: all of it. `any`: redacted records too. */
export type ReadLevel = 'whole' | 'any'

/**
 * The conditions that a row `r` must meet to answer a question. Every search includes them in its own statement, so
 * that excluded records affect no order and no cut.
 */
export function listAnswerConditions(question: Question, level: ReadLevel): Conditions {
  const isCurrent = sql<SqlBool>`(${joinConditions(listStatusConditions(question))})`
  const salience = listSalienceConditions(question)
  if (level === 'whole') return [...listMatchingConditions(question, level), isCurrent, ...salience]
  // Hidden fields of a redacted record neither exclude nor include it. Whether its salience is 0 is visible anyway.
  const max = question.trust.maxSensitivity
  const isCurrentOrHidden = sql<SqlBool>`case when r.sensitivity > ${max} then r.base_salience > 0 else ${isCurrent} end`
  return [...listMatchingConditions(question, level), isCurrentOrHidden, ...salience]
}

/**
 * Conditions for the context of answers: messages whose words count for those around them, and entities whose names are shown in
 * facts about them. A filter of the question excludes none of them, but hidden, forgotten and replaced ones do not count.
 */
export function listContextConditions(question: Question): Conditions {
  return [
    openTo(question.trust),
    ...listExistenceConditions(question),
    ...listStatusConditions({ ...question, includesExpired: true }),
  ]
}

/**
 * Conditions for a record that the caller sees whole and that only its status, validity or salience excludes.
 */
export function listSuppressedConditions(question: Question): Conditions {
  const isShown = joinConditions([...listStatusConditions(question), ...listSalienceConditions(question)])
  return [...listMatchingConditions(question, 'whole'), sql<SqlBool>`not (${isShown})`]
}

/** All conditions except status, validity and salience. */
export function listMatchingConditions(question: Question, level: ReadLevel): Conditions {
  const { trust, types, kinds, layers, scopes, tags, minImportance } = question
  return [
    level === 'whole' ? openTo(trust) : isVisibleTo(trust),
    ...listExistenceConditions(question),
    ...(types ? [sql<SqlBool>`r.type = any(${types}::record_type[])`] : []),
    ...(kinds ? [sql<SqlBool>`r.memory_kind = any(${kinds}::memory_kind[])`] : []),
    ...(layers ? [sql<SqlBool>`r.layer = any(${layers}::memory_layer[])`] : []),
    ...(scopes ? [sql<SqlBool>`r.scope = any(${scopes}::text[])`] : []),
    ...(minImportance === undefined ? [] : [sql<SqlBool>`r.importance >= ${minImportance}`]),
    ...(tags
      ? [sql<SqlBool>`r.id in (select t.record_id from contents as t where t.tags @> ${tags}::text[])`]
      : []),
  ]
}

function listExistenceConditions({ includesForgotten = false, isPast, at }: Question): Conditions {
  return [
    ...(includesForgotten ? [] : [sql<SqlBool>`r.forgotten_at is null`]),
    ...(isPast ? [sql<SqlBool>`r.created_at <= ${at}::timestamptz`] : []),
  ]
}

/** Statuses are literals: for an array parameter the planner assumes ten values and plans again at every call. */
function listStatusConditions(question: Question): Conditions {
  const { statuses, includesExpired } = question
  return [
    sql<SqlBool>`${selectStatus(question)} in (${sql.join(statuses.map((status) => sql.lit(status)))})`,
    ...(includesExpired ? [] : [isValidAtInstant(question)]),
  ]
}

/**
 * The stored salience is never too low, so an index on it narrows the rows first. The exact value decides.
 */
function listSalienceConditions(question: Question): Conditions {
  const { minSalience, isPast } = question
  if (minSalience === undefined) return []
  const exact = sql<SqlBool>`${computeSalienceAtInstant(question)} >= ${minSalience}`
  return isPast ? [exact] : [sql<SqlBool>`r.salience >= ${minSalience}`, exact]
}
