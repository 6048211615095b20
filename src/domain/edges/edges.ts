/**
 * Predicates that are stored in both directions, so that both ends can be queried. All other predicates are stored in
 * one direction.
 */
export const inversePairs = [
  ['mentions_entity', 'mentioned_in'],
  ['derived_from', 'derives'],
  ['references_record', 'referenced_by'],
  ['subject_entity', 'fact_subject_of'],
  ['object_entity', 'fact_object_of'],
  ['depends_on', 'dependency_of'],
  ['uses', 'used_by'],
  ['caused_by', 'causes'],
  ['supports', 'supported_by'],
  ['contradicts', 'contradicted_by'],
  ['supersedes', 'superseded_by'],
] as const

const inverses: ReadonlyMap<string, string> = new Map(
  inversePairs.flatMap(([forward, backward]) => [
    [forward, backward],
    [backward, forward],
  ]),
)

export function findInverse(predicate: string): string | undefined {
  return inverses.get(predicate)
}

const backward: ReadonlySet<string> = new Set(inversePairs.map(([, predicate]) => predicate))

/** Whether the predicate is the inverse that the service writes beside a stated edge. */
export function isInverse(predicate: string): boolean {
  return backward.has(predicate)
}

export type Edge = {
  source_id: string
  predicate: string
  target_id: string
  weight: number
  created_at: Date
}

/** Returns an edge of full weight, as the service itself makes it. */
export function createEdge(source: string, predicate: string, target: string, now: Date): Edge {
  return { source_id: source, predicate, target_id: target, weight: 1, created_at: now }
}

/** Returns each edge, and its inverse where the predicate has one. */
export function addInverses(edges: readonly Edge[]): Edge[] {
  return edges.flatMap((edge) => {
    const inverse = findInverse(edge.predicate)
    if (inverse === undefined) return [edge]
    return [edge, { ...edge, predicate: inverse, source_id: edge.target_id, target_id: edge.source_id }]
  })
}
