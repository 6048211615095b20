import type { Interpretation } from '../domain/interpretation.ts'
import type { Policies } from '../domain/lifecycle/lifecycle.ts'
import type { Payload, SemanticPayload } from '../domain/payloads/payloads.ts'
import { maskText } from '../domain/secrets/masking.ts'
import { presentScope } from '../domain/trust/caller.ts'
import { createEntityPayload } from '../entities/index.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { type Draft, draftRecord, type NewRecord, type Provenance } from '../records/index.ts'
import type { NewCapture } from './capture.schemas.ts'
import type { CaptureContext } from './capture-context.ts'
import type { Mention } from './interpretation/mention-list.ts'
import type { KnownRecords } from './known-records.service.ts'

/** Drafts of the records that one capture creates. */

/** Everything that writing the records of a capture depends on. */
export type CaptureWriteContext = CaptureContext & {
  interpretation: Interpretation
  known: KnownRecords
  policies: Policies
}

/** Returns the record that holds the evidence itself. */
export function buildPrimaryRecord(
  context: CaptureWriteContext,
  payload: Payload,
  source: Provenance['sources'][number],
  interpretation: Interpretation,
): NewRecord {
  const { memory_kind: kind } = context.input
  return omitNulls({
    ...buildRecord(context, payload, source),
    memory_kind: kind,
    ...pickTagsAndImportance(payload.kind === 'episodic' ? context.input : maskTags(context.input)),
    interpretation,
  })
}

/** Returns the input with secrets in its tags masked. Only an episode keeps its tags unmasked. */
export function maskTags<T extends Pick<NewCapture, 'tags'>>(input: T): T {
  return input.tags === undefined ? input : { ...input, tags: input.tags.map(maskText) }
}

/** Returns the record of the fact that the evidence states. */
export function buildFactRecord(
  context: CaptureWriteContext,
  payload: SemanticPayload,
  source: Provenance['sources'][number],
): NewRecord {
  return { ...buildRecord(context, payload, source), ...pickTagsAndImportance(maskTags(context.input)) }
}

/** Returns the record of an entity that no stored record names yet. */
export function buildEntityRecord(
  context: CaptureWriteContext,
  mention: Mention,
  source: Provenance['sources'][number],
): NewRecord {
  return buildRecord(context, createEntityPayload(mention), source)
}

function buildRecord(
  { scope, sensitivity, input, source: createdBy }: CaptureWriteContext,
  payload: Payload,
  source: Provenance['sources'][number],
): NewRecord {
  return omitNulls({
    type: payload.kind,
    payload,
    sensitivity,
    ...presentScope(scope),
    source_type: input.source_type,
    provenance: { sources: [source], created_by: createdBy },
  })
}

function pickTagsAndImportance({
  tags,
  importance,
}: NewCapture): Pick<NewRecord, 'tags' | 'base_importance'> {
  return omitNulls({ tags, base_importance: importance })
}

export function draftCapturedRecord(
  { caller, now, sensitivity, policies }: CaptureWriteContext,
  record: NewRecord,
  id: string,
): Draft {
  const draft = draftRecord(record, { caller, now, id, defaultSensitivity: sensitivity, policies })
  return { ...draft, audit: { ...draft.audit, rationale: 'captured' } }
}
