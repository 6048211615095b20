import type { Interpretation } from '../domain/interpretation.ts'
import { maskText } from '../domain/masking.ts'
import { clip } from '../domain/outline.ts'
import type { RecordType } from '../domain/vocabulary.ts'
import type { NewCapture } from './capture.schemas.ts'
import type { Plan } from './classification.ts'
import { findNames } from './mentions.ts'

/** What evidence is about, read by rule from the keys it uses. */

/** The whole stands in the record; this is the line that names it. */
export const longestSummary = 1_000
/** When no key says anything, the little there is is a guess. */
const leastConfidence = 0.3

export function interpret(given: NewCapture, plan: Plan): Interpretation {
  const { mentions, references } = findNames(given.content, given.context)
  return {
    status: 'tentative',
    summary: clip(plan.summary, longestSummary),
    proposed_type: given.proposed_type ?? typeOf(plan),
    topical_labels: [...new Set(given.tags?.map(maskText))],
    mentions,
    relation_candidates: [],
    reference_candidates: references,
    extraction_confidence: Math.max(
      leastConfidence,
      ...[...mentions, ...references].map((each) => each.confidence),
    ),
  }
}

function typeOf(plan: Plan): RecordType {
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
export function settle(interpretation: Interpretation, resolution: Resolution): Interpretation {
  const mentions = interpretation.mentions.map((mention, index) => {
    const id = resolution.mentions[index]
    return id === undefined ? mention : { ...mention, canonical_entity_id: id }
  })
  const relations = settleEach(interpretation.relation_candidates, resolution.relations ?? [])
  const references = settleEach(interpretation.reference_candidates, resolution.references)
  const isSettled =
    mentions.every((mention) => mention.canonical_entity_id !== undefined) &&
    [...relations, ...references].every((candidate) => candidate.resolved)
  return {
    ...interpretation,
    status: isSettled ? 'resolved' : 'tentative',
    mentions,
    relation_candidates: relations,
    reference_candidates: references,
  }
}

function settleEach<C extends { resolved: boolean }>(
  candidates: readonly C[],
  targets: readonly (Target | undefined)[],
): C[] {
  return candidates.map((candidate, index) => {
    const target = targets[index]
    return target && Object.keys(target).length > 0 ? { ...candidate, ...target, resolved: true } : candidate
  })
}
