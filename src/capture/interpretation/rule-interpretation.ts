import type { Interpretation } from '../../domain/interpretation.ts'
import type { RecordType } from '../../domain/schemas/vocabulary.ts'
import { maskText } from '../../domain/secrets/masking.ts'
import { clip } from '../../domain/secrets/outline.ts'
import type { NewCapture } from '../capture.schemas.ts'
import type { CapturePlan } from '../planning/capture-plan.ts'
import { findNames } from './names-in-content.ts'

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
