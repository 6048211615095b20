import type { Edge } from '../domain/edges/edges.ts'
import type { RelationEdge } from './relations.schemas.ts'

/** The edge as an answer has it. */
export function presentEdge(edge: Edge): RelationEdge {
  return { ...edge, created_at: edge.created_at.toISOString() }
}
