import { createEdge, type Edge } from '../domain/edges/edges.ts'
import type { Descent } from '../records/index.ts'
import type { RelatedFact } from './facts/fact-outcome.ts'

/** The edges between the records of one capture. */

export function buildPrimaryEdges(
  primary: string,
  { entities, references }: { entities: readonly string[]; references: readonly string[] },
  now: Date,
): Edge[] {
  return [
    // Two names may mean the same entity.
    ...[...new Set(entities)].map((id) => createEdge(primary, 'mentions_entity', id, now)),
    ...[...new Set(references)].map((id) => createEdge(primary, 'references_record', id, now)),
  ]
}

/** Returns the descents that keep an entity as long as any capture that mentions it. */
export function buildMentionDescents(
  primary: string,
  { entities, newEntities }: { entities: readonly string[]; newEntities: readonly { row: { id: string } }[] },
): Descent[] {
  const newIds = new Set(newEntities.map(({ row }) => row.id))
  const known = new Set(entities.filter((id) => !newIds.has(id) && id !== primary))
  return [...known].map((id) => ({
    derived_id: id,
    source_id: primary,
    kind: 'mention' as const,
    is_ground: null,
  }))
}

export type FactTargets = {
  primary: string
  subject: string | undefined
  object: string | undefined
  relatedFact?: RelatedFact | undefined
}

export function buildFactEdges(
  id: string,
  { primary, subject, object, relatedFact }: FactTargets,
  now: Date,
): Edge[] {
  const targets: [string, string | undefined][] = [
    ['derived_from', primary],
    ['subject_entity', subject],
    ['object_entity', object],
    [relatedFact?.predicate ?? 'contradicts', relatedFact?.id],
  ]
  return targets.flatMap(([predicate, target]) =>
    target === undefined || target === id ? [] : [createEdge(id, predicate, target, now)],
  )
}

type Linked = { relations: readonly { predicate: string; target_id: string }[] }

/**
 * Returns the edges that the record does not have yet. Writing an existing edge again would reset a weight that a
 * client has set.
 */
export function filterNewEdges(edges: readonly Edge[], { relations }: Linked): Edge[] {
  const known = new Set(relations.map(({ predicate, target_id: target }) => `${predicate} ${target}`))
  return edges.filter(({ predicate, target_id: target }) => !known.has(`${predicate} ${target}`))
}
