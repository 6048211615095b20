import type { Database } from '../../db/connection.ts'
import { findMostSalient } from '../../records/index.ts'
import { type Channels, createChannelSearch, type SearchInput } from '../channels/channel-search.service.ts'
import type { Match } from '../channels/match.ts'
import { listMatchingConditions, listSuppressedConditions } from '../filters.queries.ts'
import { listIds } from '../fusion.ts'
import type { Question } from '../question/question.ts'
import type { Suppressed } from '../retrieval.schemas.ts'
import { findSuppressedStates } from './suppression.queries.ts'
import { findSuppressionReason } from './suppression.ts'

const maxSuppressed = 50

type Resources = Channels & { db: Database; conversationGapMs: number }

/** Returns the search for the records that would answer a question if no rule excluded them. */
export function createSuppressionSearch(resources: Resources) {
  const { db } = resources
  const search = createChannelSearch(resources)

  /** Runs the same search among records that are excluded by status, validity or salience. */
  async function findSuppressed(question: Question, input: SearchInput, now: Date): Promise<Suppressed[]> {
    const matches =
      input.text !== undefined || input.queryVector !== undefined
        ? await search(input, question, listSuppressedConditions(question), {
            limit: maxSuppressed,
            requested: maxSuppressed,
          })
        : { graph: await listMatching(question, now) }
    const ids = listIds(matches)
    const rows = ids.length === 0 ? [] : await findSuppressedStates(db, ids, question)
    return rows.flatMap((row) => {
      const reason = findSuppressionReason(row, question)
      return reason === undefined ? [] : [{ id: row.id, reason, status: row.status }]
    })
  }

  /** Without content every record matches. Only the top is examined, so that the cost is bounded. */
  async function listMatching(question: Question, now: Date): Promise<Match[]> {
    const { trust, at, scopes } = question
    const conditions = listMatchingConditions(question, 'whole')
    const request = { trust, conditions, asOf: at, isReadableOnly: true, limit: 4 * maxSuppressed }
    const picked = await findMostSalient(db, { ...request, ...(scopes ? { scopes } : {}) }, now)
    return picked.map(({ id }): Match => ({ id, score: 1 }))
  }

  return findSuppressed
}
