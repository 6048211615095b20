import type { Payload } from '../../domain/payloads/payloads.ts'
import { listUuids } from '../../kernel/ids.ts'
import type { MemoryRecord } from '../records.schemas.ts'
import type { StoredRecord } from '../stored-record.ts'

/** Removes the references to records that the reader may not see. */

type VisibleContent = Pick<StoredRecord, 'payload' | 'provenance' | 'interpretation'>

/** Replaces the sources of a record when all of them are hidden, because a provenance needs at least one source. */
const hiddenSource = { kind: 'event', ref: 'hidden' } as const

export function removeHiddenReferences({
  payload,
  provenance,
  interpretation,
  hiddenIds = [],
}: StoredRecord): VisibleContent {
  if (hiddenIds.length === 0) return { payload, provenance, interpretation }
  const hidden = new Set(hiddenIds)
  const isHidden = (text = '') => listUuids(text).some((id) => hidden.has(id))
  const sources = provenance.sources.filter(({ ref }) => !isHidden(ref))
  return {
    payload: removeFromPayload(payload, isHidden),
    provenance: { ...provenance, sources: sources.length === 0 ? [hiddenSource] : sources },
    interpretation: interpretation && removeFromInterpretation(interpretation, isHidden),
  }
}

type IsHidden = (text: string | undefined) => boolean

function removeFromPayload(payload: Payload, isHidden: IsHidden): Payload {
  if (payload.kind !== 'semantic') return payload
  const { revision, ...rest } = payload
  const evidence = payload.evidence.filter(({ source_id: id }) => !isHidden(id))
  if (!revision) return { ...rest, evidence }
  const { supersedes, superseded_by: successor, status } = revision
  return {
    ...rest,
    evidence,
    revision: {
      ...(supersedes === undefined || isHidden(supersedes) ? {} : { supersedes }),
      ...(successor === undefined || isHidden(successor) ? {} : { superseded_by: successor }),
      status,
    },
  }
}

type Interpretation = NonNullable<MemoryRecord['interpretation']>
type Candidate = { target_record_id?: string; target_entity_id?: string; resolved: boolean }

function removeFromInterpretation(interpretation: Interpretation, isHidden: IsHidden): Interpretation {
  const resolve = <C extends Candidate>(candidate: C): C =>
    isHidden(candidate.target_record_id) || isHidden(candidate.target_entity_id)
      ? removeTarget(candidate)
      : candidate
  return {
    ...interpretation,
    mentions: interpretation.mentions.map((mention) => {
      const { canonical_entity_id: id, ...rest } = mention
      return isHidden(id) ? rest : mention
    }),
    relation_candidates: interpretation.relation_candidates.map(resolve),
    reference_candidates: interpretation.reference_candidates.map(resolve),
  }
}

function removeTarget<C extends Candidate>(candidate: C): C {
  const copy = { ...candidate, resolved: false }
  delete copy.target_record_id
  delete copy.target_entity_id
  return copy
}
