import { createEdge } from '../../domain/edges/edges.ts'
import { notePredicate } from '../../domain/identity/handles.ts'
import type { Policies } from '../../domain/lifecycle/lifecycle.ts'
import type { SemanticPayload } from '../../domain/payloads/payloads.ts'
import { type Caller, presentScope } from '../../domain/trust/caller.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { type Draft, draftRecord, type NewRecord } from '../../records/index.ts'
import type { CaptureContext } from '../capture-context.ts'
import { buildMentionDescents } from '../capture-edges.ts'
import type { RelatedFact } from '../facts/fact-outcome.ts'
import type { TextNote } from './notes.schemas.ts'

/** The record of a note: a fact whose object is the text. */

export type NamedEntity = { id: string; name: string }

/** The entity that the note is about comes first in `entities`, if `about` or the text names one. */
export type NoteTopic = { subject: string; isSubjectKnown: boolean; entities: readonly NamedEntity[] }

type Context = CaptureContext & { policies: Policies }

export function buildNotePayload(
  { caller, now }: CaptureContext,
  note: TextNote,
  subject: string,
): SemanticPayload {
  const isPerson = (note.source_type ?? caller.sourceType) === 'human'
  return {
    kind: 'semantic',
    subject,
    predicate: notePredicate,
    object: note.text,
    validity: { mode: 'global' },
    evidence: [
      {
        source_type: isPerson ? 'human' : 'event',
        source_id: formatSource(caller),
        timestamp: note.occurred_at ?? now.toISOString(),
      },
    ],
  }
}

/** Not the bare id of the key: evidence that is an id names a record. */
export function formatSource({ principal }: Caller): string {
  return `key:${principal}`
}

/** The source that the note adds to the provenance of its record. */
export function buildNoteSource({ caller }: CaptureContext, { evidence }: SemanticPayload) {
  const timestamp = evidence[0]?.timestamp
  return {
    kind: 'event' as const,
    ref: `api:${caller.name}`,
    created_by: formatSource(caller),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
}

/** `isWithdrawn`: the same text was withdrawn earlier, so the note waits for review. */
export function draftNote(
  context: Context,
  note: TextNote,
  {
    id,
    payload,
    topic: { entities, isSubjectKnown },
    relatedFact,
    isWithdrawn,
  }: {
    id: string
    payload: SemanticPayload
    topic: NoteTopic
    relatedFact: RelatedFact | undefined
    isWithdrawn: boolean
  },
): Draft {
  const { caller, now, sensitivity, policies } = context
  const draft = draftRecord(buildRecord(context, note, payload), {
    caller,
    now,
    id,
    defaultSensitivity: sensitivity,
    policies,
  })
  const links = entities.map((entity, index) =>
    createEdge(id, index === 0 && isSubjectKnown ? 'subject_entity' : 'mentions_entity', entity.id, now),
  )
  const related = relatedFact ? [createEdge(id, relatedFact.predicate, relatedFact.id, now)] : []
  const mentioned = { entities: entities.map((each) => each.id), newEntities: [] }
  return {
    ...draft,
    ...(isWithdrawn ? { row: { ...draft.row, status: 'challenged' as const } } : {}),
    edges: [...links, ...related],
    descents: buildMentionDescents(id, mentioned),
    audit: { ...draft.audit, rationale: 'remembered' },
  }
}

function buildRecord(
  context: CaptureContext,
  { tags, source_type }: TextNote,
  payload: SemanticPayload,
): NewRecord {
  const { scope, sensitivity } = context
  const source = buildNoteSource(context, payload)
  return omitNulls({
    type: 'semantic',
    payload,
    sensitivity,
    ...presentScope(scope),
    tags,
    source_type,
    provenance: { sources: [source], created_by: source.created_by },
  })
}
