import { compareMatches } from './channels/match.ts'
import type { CandidateNode } from './expansion/expansion.ts'

/** The records that a question finds by itself, before their neighbourhood is added. */
export type Roots = {
  candidateNodes: CandidateNode[]
  /** How well each record fits the question, 0 to 1. Empty when the question has no content. */
  fits: ReadonlyMap<string, number>
}

/** By how much a place counts less than the one before it. docs/quality-experiments.md has the figures. */
const placeFactor = 0.94

/**
 * One order for the records of several questions. Each counts as for the question that it answers best, by its score relative to
 * the best of that question and by its place there: a question with many similar records must not push out the others.
 */
export function mergeRoots(found: readonly Roots[], limit: number): Roots {
  const best = new Map<string, CandidateNode>()
  const fits = new Map<string, number>()
  for (const part of found) {
    for (const node of part.candidateNodes.map(makeComparable)) {
      if (node.score > (best.get(node.id)?.score ?? -1)) best.set(node.id, node)
    }
    for (const [id, fit] of part.fits) fits.set(id, Math.max(fit, fits.get(id) ?? 0))
  }
  return { candidateNodes: [...best.values()].sort(compareMatches).slice(0, limit), fits }
}

function makeComparable(node: CandidateNode, place: number, nodes: readonly CandidateNode[]): CandidateNode {
  const question_factor = placeFactor ** place / (nodes[0]?.score || 1)
  return { ...node, score: node.score * question_factor, signals: { ...node.signals, question_factor } }
}
