import type { Interpretation } from '../domain/interpretation.ts'
import { maskText } from '../domain/masking.ts'
import { clip } from '../domain/outline.ts'
import type { RecordType } from '../domain/vocabulary.ts'
import type { NewCapture } from './capture.schemas.ts'
import type { CapturePlan } from './classification.ts'
import { findNames } from './mentions.ts'

/** What evidence is about, read by rule from the keys it uses. */

/** The whole stands in the record; this is the line that names it. */
export const maxSummaryLength = 1_000
/** When no key says anything, the little there is is a guess. */
const minConfidence = 0.3

export function interpretByRule(input: NewCapture, plan: CapturePlan): Interpretation {
  const { mentions, references } = findNames(input.content, input.context)
  return {
    status: 'tentative',
    summary: clip(plan.summary, maxSummaryLength),
    proposed_type: input.proposed_type ?? getRecordType(plan),
    topical_labels: [...new Set(input.tags?.map(maskText))],
    mentions,
    relation_candidates: [],
    reference_candidates: references,
    extraction_confidence: Math.max(
      minConfidence,
      ...[...mentions, ...references].map((each) => each.confidence),
    ),
  }
}

function getRecordType(plan: CapturePlan): RecordType {
  if (plan.kind === 'working_state') return 'working'
  return plan.kind !== 'outcome' && plan.fact ? 'semantic' : 'episodic'
}

export type Target = { target_record_id?: string; target_entity_id?: string }

/** What each candidate, in its place, was found to be; nothing where none was. */
export type Resolution = {
  mentions: readonly (string | undefined)[]
  relations?: readonly (Target | undefined)[]
  references: readonly (Target | undefined)[]
}

/** Resolved as a whole once nothing in it is open. */
export function applyResolution(interpretation: Interpretation, resolution: Resolution): Interpretation {
  const mentions = interpretation.mentions.map((mention, index) => {
    const id = resolution.mentions[index]
    return id === undefined ? mention : { ...mention, canonical_entity_id: id }
  })
  const relations = applyTargets(interpretation.relation_candidates, resolution.relations ?? [])
  const references = applyTargets(interpretation.reference_candidates, resolution.references)
  const isResolved =
    mentions.every((mention) => mention.canonical_entity_id !== undefined) &&
    [...relations, ...references].every((candidate) => candidate.resolved)
  return {
    ...interpretation,
    status: isResolved ? 'resolved' : 'tentative',
    mentions,
    relation_candidates: relations,
    reference_candidates: references,
  }
}

function applyTargets<C extends { resolved: boolean }>(
  candidates: readonly C[],
  targets: readonly (Target | undefined)[],
): C[] {
  return candidates.map((candidate, index) => {
    const target = targets[index]
    return target && Object.keys(target).length > 0 ? { ...candidate, ...target, resolved: true } : candidate
  })
}
