import { createEdge, type Edge } from '../domain/edges/edges.ts'
import type { Policies } from '../domain/lifecycle/lifecycle.ts'
import { createServiceCaller, presentScope, type Sensitivity } from '../domain/trust/caller.ts'
import { type Descent, type Draft, draftRecord, type NewRecord } from '../records/index.ts'

/** Drafts of the facts that a dream writes. */

export type DreamFact = {
  id: string
  /** The name of the step in the audit log and the provenance. */
  actor: string
  now: Date
  runId: string
  rationale: string
  scope: string
  sensitivity: Sensitivity
  tags: readonly string[]
  policies: Policies
  fact: { subject: string; predicate: string; object: unknown }
  /** The records that the fact is derived from. */
  sources: readonly string[]
  links: readonly { predicate: string; target: string }[]
  /** The record that the fact replaces. */
  supersedes?: string | undefined
}

/** A fact lists at most this many sources as evidence. Its edges lead to all of them. */
const maxNamedSources = 32

export function draftDreamFact(input: DreamFact): Draft {
  const { id, actor, now, runId, rationale, scope, sensitivity, tags, policies, sources } = input
  const named = sources.slice(0, maxNamedSources)
  const at = now.toISOString()
  const evidence = named.map((source) => ({
    source_type: 'event' as const,
    source_id: `record:${source}`,
    timestamp: at,
  }))
  const record: NewRecord = {
    type: 'semantic',
    payload: { kind: 'semantic', ...input.fact, evidence, ...buildRevision(input) },
    ...presentScope(scope),
    sensitivity,
    tags: [...tags],
    source_type: 'dream',
    provenance: {
      sources: named.map((source) => ({ kind: 'event', ref: `record:${source}`, timestamp: at })),
      created_by: actor,
    },
  }
  const draft = draftRecord(record, {
    caller: createServiceCaller(actor, 'dream'),
    now,
    id,
    defaultSensitivity: sensitivity,
    policies,
  })
  const audit = { ...draft.audit, rationale, run_id: runId }
  return { ...draft, edges: buildEdges(input), descents: buildDescents(input), audit }
}

function buildDescents({ id, sources, supersedes }: DreamFact): Descent[] {
  const descents = sources.map((source): Descent => {
    return { derived_id: id, source_id: source, kind: 'dream', is_ground: true }
  })
  if (supersedes === undefined) return descents
  return [...descents, { derived_id: id, source_id: supersedes, kind: 'supersede', is_ground: false }]
}

function buildRevision({ supersedes }: DreamFact) {
  return supersedes === undefined ? {} : { revision: { supersedes, status: 'active' as const } }
}

function buildEdges({ id, sources, links, supersedes, now }: DreamFact): Edge[] {
  const descent = sources.map((target) => ({ predicate: 'derived_from', target }))
  const place = supersedes === undefined ? [] : [{ predicate: 'supersedes', target: supersedes }]
  return [...descent, ...links, ...place].map(({ predicate, target }) =>
    createEdge(id, predicate, target, now),
  )
}
