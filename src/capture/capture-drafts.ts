import { unscoped } from '../domain/caller.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { Policies } from '../domain/lifecycle.ts'
import { maskText } from '../domain/masking.ts'
import type { Payload, SemanticPayload } from '../domain/payloads.ts'
import { type Draft, draftRecord, type NewRecord, type Provenance } from '../records/index.ts'
import type { NewCapture } from './capture.schemas.ts'
import type { Setting } from './capture-context.ts'
import type { Mention } from './mentions.ts'

/** The records that come of a capture. */

export type Origin = Setting & { given: NewCapture; policies: Policies }

/** The evidence itself. */
export function describePrimary(
  origin: Origin,
  payload: Payload,
  source: Provenance['sources'][number],
  interpretation: Interpretation,
): NewRecord {
  const { memory_kind: kind } = origin.given
  return {
    ...describe(origin, payload, source),
    ...(kind === undefined ? {} : { memory_kind: kind }),
    ...describeTold(payload.kind === 'episodic' ? origin.given : maskTags(origin.given)),
    interpretation,
  }
}

/** Only an episode keeps its tags as they came. */
export function maskTags<T extends Pick<NewCapture, 'tags'>>(given: T): T {
  return given.tags === undefined ? given : { ...given, tags: given.tags.map(maskText) }
}

/** What the evidence says is so. */
export function describeFact(
  origin: Origin,
  payload: SemanticPayload,
  source: Provenance['sources'][number],
): NewRecord {
  return { ...describe(origin, payload, source), ...describeTold(maskTags(origin.given)) }
}

/** Something that is named for the first time. */
export function describeEntity(
  origin: Origin,
  { surface, entity_kind: kind, aliases }: Mention,
  source: Provenance['sources'][number],
): NewRecord {
  const payload: Payload = {
    ...{ kind: 'entity', canonical_name: surface, primary_type: kind, types: [kind], identifiers: [] },
    aliases: aliases.map((value) => ({ value })),
  }
  return describe(origin, payload, source)
}

function describe(
  { scope, sensitivity, given, source: teller }: Origin,
  payload: Payload,
  source: Provenance['sources'][number],
): NewRecord {
  return {
    type: payload.kind,
    payload,
    sensitivity,
    ...(scope === unscoped ? {} : { scope }),
    ...(given.source_type === undefined ? {} : { source_type: given.source_type }),
    provenance: { sources: [source], created_by: teller },
  }
}

function describeTold({ tags, importance }: NewCapture): Pick<NewRecord, 'tags' | 'base_importance'> {
  return {
    ...(tags === undefined ? {} : { tags }),
    ...(importance === undefined ? {} : { base_importance: importance }),
  }
}

export function draftBirth(
  { caller, now, sensitivity, policies }: Origin,
  record: NewRecord,
  id: string,
): Draft {
  const draft = draftRecord(record, { caller, now, id, defaultSensitivity: sensitivity, policies })
  return { ...draft, audit: { ...draft.audit, rationale: 'captured' } }
}
