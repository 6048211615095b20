import type { Database } from '../../db/connection.ts'
import type { StoredRecord } from '../../records/index.ts'
import { listAnswerConditions } from '../filters.queries.ts'
import { canShowRedacted, type Question } from '../question/question.ts'
import { findNeighbours, findWithNeighbours } from './expansion.queries.ts'
import { type CandidateNode, type Neighbour, selectNextHop } from './expansion.ts'

export type ExpansionLimits = { maxHops: number; nodeLimit: number }

/** How many edges of one kind are compared at least, even for a small answer. */
const minPerKind = 100

export type Expanded = {
  candidateNodes: CandidateNode[]
  /** Every edge that was followed. */
  followed: Neighbour[]
  /** The records of the roots, where they were read with their neighbours. */
  rootRecords: StoredRecord[]
}

/** Returns the roots with their neighbourhood. Each hop is one statement. */
export async function expand(
  db: Database,
  question: Question,
  roots: readonly CandidateNode[],
  { maxHops, nodeLimit }: ExpansionLimits,
): Promise<Expanded> {
  const nodes = new Map(roots.map((root) => [root.id, root]))
  const conditions = listAnswerConditions(question, canShowRedacted(question) ? 'any' : 'whole')
  const search = { conditions, maxPerKind: Math.max(nodeLimit, minPerKind) }
  const followed: Neighbour[] = []

  /** Returns the ids of the new nodes whose edges may be followed. */
  function addHop(found: readonly Neighbour[], hop: number): string[] {
    // As arguments of one call they could be more than a call may have.
    for (const each of found) followed.push(each)
    const added = selectNextHop(nodes, found, hop, nodeLimit - nodes.size)
    for (const node of added) nodes.set(node.id, node)
    return listOpen(added)
  }

  const ids = maxHops === 0 ? [] : roots.map(({ id }) => id)
  const rootRecords = ids.length === 0 ? [] : await findWithNeighbours(db, ids, question, search)
  const open = new Set(listOpen(roots))
  const near = rootRecords.flatMap(({ id, neighbours }) => (open.has(id) ? neighbours : []))
  let frontier = addHop(
    near.map((each) => ({ ...each, created_at: new Date(each.created_at) })),
    1,
  )
  for (let hop = 2; hop <= maxHops && frontier.length > 0; hop++) {
    frontier = addHop(await findNeighbours(db, frontier, question, search), hop)
  }
  return { candidateNodes: [...nodes.values()], followed, rootRecords }
}

function listOpen(nodes: readonly CandidateNode[]): string[] {
  return nodes.filter(({ isOpen }) => isOpen).map(({ id }) => id)
}
