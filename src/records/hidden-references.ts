import type { Payload } from '../domain/payloads.ts'
import type { MemoryRecord } from './records.schemas.ts'
import type { StoredRecord } from './stored-record.ts'

/** A record without what it says of records that its reader may not see. */

type VisibleContent = Pick<StoredRecord, 'payload' | 'provenance' | 'interpretation'>

/** In place of the sources of a record whose sources are all hidden: a provenance names at least one. */
const hiddenSource = { kind: 'event', ref: 'hidden' } as const

export function removeHiddenReferences({
  payload,
  provenance,
  interpretation,
  concealed = [],
}: StoredRecord): VisibleContent {
  if (concealed.length === 0) return { payload, provenance, interpretation }
  const isHidden = (text: string | undefined) =>
    text !== undefined && concealed.some((id) => text.includes(id))
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
    ...{ ...rest, evidence },
    revision: {
      ...(supersedes === undefined || isHidden(supersedes) ? {} : { supersedes }),
      ...(successor === undefined || isHidden(successor) ? {} : { superseded_by: successor }),
      status,
    },
  }
}

type Interpretation = NonNullable<MemoryRecord['interpretation']>
type Candidate = { target_record_id?: string; target_entity_id?: string; resolved: boolean }

function removeFromInterpretation(told: Interpretation, isHidden: IsHidden): Interpretation {
  const conceal = <C extends Candidate>(candidate: C): C =>
    isHidden(candidate.target_record_id) || isHidden(candidate.target_entity_id)
      ? withoutTarget(candidate)
      : candidate
  return {
    ...told,
    mentions: told.mentions.map((mention) => {
      const { canonical_entity_id: id, ...rest } = mention
      return isHidden(id) ? rest : mention
    }),
    relation_candidates: told.relation_candidates.map(conceal),
    reference_candidates: told.reference_candidates.map(conceal),
  }
}

function withoutTarget<C extends Candidate>(candidate: C): C {
  const copy = { ...candidate, resolved: false }
  delete copy.target_record_id
  delete copy.target_entity_id
  return copy
}
