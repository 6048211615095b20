import Type, { type TSchema } from 'typebox'
import type { CapturedContent } from '../../domain/payloads/captured-content.ts'
import { Outcome } from '../../domain/payloads/payloads.ts'
import { Uuid } from '../../domain/schemas/shapes.ts'
import { clip } from '../../domain/secrets/outline.ts'
import type { Fault } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import { refSchema } from './episode-payload.ts'
import { type CheckSchema, collectUnusedContent, type Evidence, findFieldFaults } from './evidence.ts'

/** A report, sent later, about how an episode ended. */

export type OutcomeReport = {
  target_id: string
  outcome: Outcome
  /** The reason, for the audit log. */
  rationale?: string
  /** Everything else in the content. It goes to the audit log, because an episode accepts nothing but an outcome. */
  kept: CapturedContent & { summary?: string }
}

/** The maximum length of any rationale. The kept content has the full text. */
const maxRationaleLength = 4_096
const rationale = Type.String({ minLength: 1, maxLength: maxRationaleLength })
const reportFields: Readonly<Record<string, TSchema>> = {
  target_id: Uuid(),
  outcome: Outcome,
  rationale,
  ref: refSchema,
}
const placed = new Set(Object.keys(reportFields))

export function findReportFaults({ input, fields }: Evidence, check: CheckSchema): Fault[] {
  if (!isJsonObject(input.content)) {
    return [{ pointer: '/content', message: 'must be an object with target_id and outcome' }]
  }
  return findFieldFaults(fields, reportFields, ['target_id', 'outcome'], check)
}

/** Expects evidence in which `findReportFaults` found nothing. */
export function readOutcomeReport(evidence: Evidence): OutcomeReport {
  const { reason_to_remember: reason, summary } = evidence.input
  const fields = evidence.fields as { target_id: string; outcome: Outcome; rationale?: string }
  const rationale = fields.rationale ?? reason ?? summary
  return {
    target_id: fields.target_id.toLowerCase(),
    outcome: fields.outcome,
    ...(rationale ? { rationale: clip(rationale, maxRationaleLength) } : {}),
    kept: { ...collectUnusedContent(evidence, placed), ...(summary === undefined ? {} : { summary }) },
  }
}
