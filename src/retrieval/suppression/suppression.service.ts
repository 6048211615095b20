import type { Database } from '../../db/connection.ts'
import { findMostSalient } from '../../records/index.ts'
import { type ChannelSearch, hasContent, type SearchInput } from '../channels/channel-search.service.ts'
import { listMatchingConditions, listSuppressedConditions } from '../filters.queries.ts'
import type { Question } from '../question/question.ts'
import type { Suppressed } from '../retrieval.schemas.ts'
import { listIds } from '../scoring/fusion.ts'
import { findSuppressedStates } from './suppression.queries.ts'
import { findSuppressionReason } from './suppression.ts'

const maxSuppressed = 50

/** Returns the search for the records that would answer a question if no rule excluded them. */
export function createSuppressionSearch({ db, search }: { db: Database; search: ChannelSearch }) {
  /** Runs the same search among records that are excluded by status, validity or salience. */
  async function findSuppressed(question: Question, input: SearchInput): Promise<Suppressed[]> {
    const ids = hasContent(input) ? await listFound(question, input) : await listMatching(question)
    const rows = ids.length === 0 ? [] : await findSuppressedStates(db, ids, question)
    return rows.flatMap((row) => {
      const reason = findSuppressionReason(row, question)
      return reason === undefined ? [] : [{ id: row.id, reason, status: row.status }]
    })
  }

  async function listFound(question: Question, input: SearchInput): Promise<string[]> {
    const limits = { limit: maxSuppressed, requested: maxSuppressed }
    return listIds(await search(input, question, listSuppressedConditions(question), limits))
  }

  /** Without content every record matches. Only the top is examined, so that the cost is bounded. */
  async function listMatching(question: Question): Promise<string[]> {
    const { trust, now, at, scopes } = question
    const conditions = listMatchingConditions(question, 'whole')
    const request = { trust, conditions, scopes, asOf: at, isReadableOnly: true, limit: 4 * maxSuppressed }
    return (await findMostSalient(db, request, now)).map(({ id }) => id)
  }

  return findSuppressed
}
