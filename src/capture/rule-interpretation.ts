import type { Interpretation } from '../domain/interpretation.ts'
import { maskText } from '../domain/masking.ts'
import { clip } from '../domain/outline.ts'
import type { RecordType } from '../domain/vocabulary.ts'
import type { NewCapture } from './capture.schemas.ts'
import type { CapturePlan } from './capture-plan.ts'
import { findNames } from './mentions.ts'

/** Interprets evidence by rules that read the keys of its fields. */

/** The record stores the full text; this is one line of it. */
export const maxSummaryLength = 1_000
/** The confidence if no key says anything about the content. */
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

/** The target of each candidate, in the order of the candidates. Undefined if none was found. */
type Resolution = {
  mentions: readonly (string | undefined)[]
  relations?: readonly (Target | undefined)[]
  references: readonly (Target | undefined)[]
}

/** Returns the interpretation with its targets. It is `resolved` if no candidate is left open. */
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
