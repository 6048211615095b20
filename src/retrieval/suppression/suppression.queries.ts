import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { joinConditions } from '../../db/fragments/conditions.ts'
import { listMatchingConditions } from '../filters.queries.ts'
import { computeSalienceAtInstant, isValidAtInstant, selectStatus } from '../instant/instant-state.queries.ts'
import type { Question } from '../question/question.ts'
import type { SuppressedState } from './suppression.ts'

/** Reads the records that match in everything except status, validity and salience. */
export async function findSuppressedStates(
  db: Database,
  ids: readonly string[],
  question: Question,
): Promise<(SuppressedState & { id: string })[]> {
  const { rows } = await sql<SuppressedState & { id: string }>`
    select r.id, ${selectStatus(question)} as status, ${isValidAtInstant(question)} as is_valid,
      ${computeSalienceAtInstant(question)} as salience
    from records as r
    where r.id = any(${ids}::uuid[]) and ${joinConditions(listMatchingConditions(question, 'whole'))}
    order by r.id
  `.execute(db)
  return rows
}
