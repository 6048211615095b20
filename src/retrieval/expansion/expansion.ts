import { compareTexts } from '../../kernel/text-order.ts'
import { compareMatches } from '../channels/match.ts'
import type { Signals } from '../retrieval.schemas.ts'
import { neutralFactors } from '../scoring/score-factors.ts'

/** Expands roots to their neighbourhood, hop by hop, the best neighbours first. */

/** A node whose record is not read yet. */
export type CandidateNode = {
  id: string
  hop: number
  score: number
  /** Whether the caller sees the record whole. Only then its edges are followed and its signals shown. */
  isOpen: boolean
  signals: Signals
}

export type Neighbour = {
  source_id: string
  predicate: string
  weight: number
  target_id: string
  created_at: Date
  isOpen: boolean
  salience: number
  importance: number
}

/** The share of its score that a record passes to a neighbour: an edge is a weaker reason than a match. */
const edgeFactor = 0.5

/** Returns the best new neighbours, at most `limit`. */
export function selectNextHop(
  nodes: ReadonlyMap<string, CandidateNode>,
  found: readonly Neighbour[],
  hop: number,
  limit: number,
): CandidateNode[] {
  const best = new Map<string, CandidateNode>()
  for (const neighbour of found) {
    const source = nodes.get(neighbour.source_id)
    if (!source || nodes.has(neighbour.target_id)) continue
    const node = toNode(source, neighbour, hop)
    const other = best.get(node.id)
    if (!other || isBefore(node, other)) best.set(node.id, node)
  }
  return [...best.values()].sort(compareMatches).slice(0, Math.max(0, limit))
}

/** Hidden fields of a redacted record do not count, so its importance is taken as average. */
function toNode(source: CandidateNode, neighbour: Neighbour, hop: number): CandidateNode {
  const { source_id, predicate, weight, isOpen, salience, importance } = neighbour
  const fused = source.score * weight * edgeFactor
  const salience_factor = 0.5 + 0.5 * Math.min(1, salience)
  const importance_factor = isOpen ? 0.8 + 0.4 * importance : 1
  return {
    id: neighbour.target_id,
    hop,
    isOpen,
    score: fused * salience_factor * importance_factor,
    signals: {
      channels: [],
      fused,
      ...neutralFactors,
      salience_factor,
      importance_factor,
      via: { source_id, predicate, weight },
    },
  }
}

/** Whether the first of two paths to one record is the better one. Ties are decided in a fixed order. */
function isBefore(one: CandidateNode, other: CandidateNode): boolean {
  if (one.score !== other.score) return one.score > other.score
  return formatEdge(one) < formatEdge(other)
}

function formatEdge({ signals }: CandidateNode): string {
  return `${signals.via?.source_id} ${signals.via?.predicate}`
}

/** Returns the followed edges between records of the answer, in the order of their source records. */
export function listEdgesAmong(
  ids: readonly string[],
  found: readonly Neighbour[],
  limit: number,
): Pick<Neighbour, 'source_id' | 'predicate' | 'target_id' | 'weight' | 'created_at'>[] {
  const places = new Map(ids.map((id, place) => [id, place]))
  const getPlace = (id: string) => places.get(id) ?? Number.POSITIVE_INFINITY
  return found
    .filter((edge) => places.has(edge.source_id) && places.has(edge.target_id))
    .sort(
      (one, other) =>
        getPlace(one.source_id) - getPlace(other.source_id) ||
        getPlace(one.target_id) - getPlace(other.target_id) ||
        compareTexts(one.predicate, other.predicate),
    )
    .slice(0, limit)
    .map(({ source_id, predicate, target_id, weight, created_at }) => ({
      source_id,
      predicate,
      target_id,
      weight,
      created_at,
    }))
}
