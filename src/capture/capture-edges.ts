import type { Edge } from '../domain/edges.ts'
import type { Descent } from '../records/index.ts'

/** The edges that tie what was captured together. */

export function linkPrimary(
  primary: string,
  { entities, references }: { entities: readonly string[]; references: readonly string[] },
  now: Date,
): Edge[] {
  return [
    ...unique(entities).map((id) => edgeBetween(primary, 'mentions_entity', id, now)),
    ...unique(references).map((id) => edgeBetween(primary, 'references_record', id, now)),
  ]
}

/** An entity that a capture made stays for as long as any capture that mentions it. */
export function recordMentions(
  primary: string,
  { entities, born }: { entities: readonly string[]; born: readonly { row: { id: string } }[] },
): Descent[] {
  const made = new Set(born.map(({ row }) => row.id))
  return unique(entities.filter((id) => !made.has(id) && id !== primary)).map((id) => ({
    ...{ derived_id: id, source_id: primary, kind: 'mention' as const, is_ground: null },
  }))
}

export type FactEnds = {
  primary: string
  subject: string | undefined
  object: string | undefined
  beside?: { id: string; predicate: 'supports' | 'contradicts' } | undefined
}

export function linkFact(id: string, { primary, subject, object, beside }: FactEnds, now: Date): Edge[] {
  const told: [string, string | undefined][] = [
    ['derived_from', primary],
    ['subject_entity', subject],
    ['object_entity', object],
    [beside?.predicate ?? 'contradicts', beside?.id],
  ]
  return told.flatMap(([predicate, target]) =>
    target === undefined || target === id ? [] : [edgeBetween(id, predicate, target, now)],
  )
}

export function edgeBetween(source: string, predicate: string, target: string, now: Date): Edge {
  return { source_id: source, predicate, target_id: target, weight: 1, created_at: now }
}

type Linked = { relations: readonly { predicate: string; target_id: string }[] }

/** Those that the record does not have yet: written again, an edge would lose the weight somebody gave it. */
export function newEdges(edges: readonly Edge[], { relations }: Linked): Edge[] {
  const known = new Set(relations.map(({ predicate, target_id: target }) => `${predicate} ${target}`))
  return edges.filter(({ predicate, target_id: target }) => !known.has(`${predicate} ${target}`))
}

/** Two names may mean one thing. */
function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}
