import type { Database } from '../db/connection.ts'
import { findNeighbours } from './expansion.queries.ts'
import { answerConditions } from './filters.queries.ts'
import { type CandidateNode, type Neighbour, selectNextHop } from './graph-growth.ts'
import { canShowRedacted, type Question } from './question.ts'

export type ExpansionLimits = { maxHops: number; nodeLimit: number }

/** At least so many edges of one kind are compared, even for a small answer. */
const leastOfAKind = 100

/**
 * Returns the roots with their neighbourhood, and every edge that was followed. Each hop is one statement.
 */
export async function expand(
  db: Database,
  question: Question,
  roots: readonly CandidateNode[],
  { maxHops, nodeLimit }: ExpansionLimits,
): Promise<{ candidateNodes: CandidateNode[]; followed: Neighbour[] }> {
  const nodes = new Map(roots.map((root) => [root.id, root]))
  const followed: Neighbour[] = []
  const mostOfAKind = Math.max(nodeLimit, leastOfAKind)
  const conditions = answerConditions(question, canShowRedacted(question) ? 'any' : 'whole')
  let border = roots
  for (let hop = 1; hop <= maxHops; hop++) {
    const ids = border.filter(({ isOpen }) => isOpen).map(({ id }) => id)
    if (ids.length === 0) break
    const found = await findNeighbours(db, ids, question, { conditions, mostOfAKind })
    followed.push(...found)
    border = selectNextHop(nodes, found, hop, nodeLimit - nodes.size)
    for (const node of border) nodes.set(node.id, node)
  }
  return { candidateNodes: [...nodes.values()], followed }
}
