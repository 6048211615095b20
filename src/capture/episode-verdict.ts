import Type, { type TSchema } from 'typebox'
import type { CapturedContent } from '../domain/captured-content.ts'
import { clip } from '../domain/outline.ts'
import { Outcome } from '../domain/payloads.ts'
import { Uuid } from '../domain/shapes.ts'
import type { Fault } from '../kernel/errors.ts'
import { refSchema } from './episode-payload.ts'
import { type Check, type Evidence, findFieldFaults, isObject, keepRest } from './evidence.ts'

/** How an episode ended, told after it. */

export type Verdict = {
  target_id: string
  outcome: Outcome
  /** Why, for the audit log. */
  rationale?: string
  /** What else came with it, for the audit log as well: an episode takes nothing but an outcome. */
  kept: CapturedContent & { summary?: string }
}

/** As long as any rationale may be; what is kept beside it is whole. */
const longestRationale = 4_096
const rationale = Type.String({ minLength: 1, maxLength: longestRationale })
const verdictFields: Readonly<Record<string, TSchema>> = {
  ...{ target_id: Uuid(), outcome: Outcome, rationale, ref: refSchema },
}
const placed = new Set(Object.keys(verdictFields))

export function findVerdictFaults({ given, fields }: Evidence, check: Check): Fault[] {
  if (!isObject(given.content)) {
    return [{ pointer: '/content', message: 'must be an object with target_id and outcome' }]
  }
  return findFieldFaults(fields, verdictFields, ['target_id', 'outcome'], check)
}

/** The evidence must have been found without faults. */
export function tellVerdict(evidence: Evidence): Verdict {
  const { reason_to_remember: reason, summary } = evidence.given
  const said = evidence.fields as { target_id: string; outcome: Outcome; rationale?: string }
  const rationale = said.rationale ?? reason ?? summary
  return {
    target_id: said.target_id.toLowerCase(),
    outcome: said.outcome,
    ...(rationale ? { rationale: clip(rationale, longestRationale) } : {}),
    kept: { ...keepRest(evidence, placed), ...(summary === undefined ? {} : { summary }) },
  }
}
