import Type from 'typebox'
import type { DreamQuestion } from '../model-question.ts'
import {
  formatDay,
  formatRecord,
  formatRecords,
  getMember,
  type PromptRecord,
  readText,
} from '../prompt-lines.ts'

/** The question to a chat model whether a belief still holds. */

export type Judgement = { isValid: boolean; confidence: number; reason: string | undefined }

export type Belief = PromptRecord & { used_at: Date }

/** Below this confidence the answer is ignored. */
const minConfidence = 0.6
/** The factor for the base importance of a challenged belief. */
export const importanceFactor = 0.7

/** Maximum number of newer records shown with the belief. */
export const maxRelated = 10
const maxRelatedLength = 8_000
const maxReasonLength = 1_000

const system = [
  'You are shown a belief that an agent has not used for some time, and newer records about the same things.',
  'Judge whether the belief still holds today. Try to prove it wrong: look for dates that have passed, and for newer',
  'records that contradict it.',
  'still_valid: false only if you find such a reason. Age alone is no reason.',
  'confidence: from 0 to 1, how sure you are of still_valid. reason: one sentence.',
].join('\n')

const ProbeAnswer = Type.Object(
  {
    still_valid: Type.Boolean(),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    reason: Type.String({ maxLength: maxReasonLength }),
  },
  { description: 'Whether a belief still holds.' },
)

/** Returns undefined if the belief cannot be shown to a model. */
export function buildQuestion(
  belief: Belief,
  relatedRecords: readonly PromptRecord[],
  now: Date,
): DreamQuestion<Judgement> | undefined {
  const line = formatRecord(belief)
  if (!line) return undefined
  const document = {
    today: formatDay(now),
    belief: { recorded_on: line.on, last_used_on: formatDay(belief.used_at), says: line.says },
    newer_records: formatRecords(relatedRecords, maxRelatedLength).lines,
  }
  return { system, document, schema: ProbeAnswer, name: 'judgement', read: readJudgement }
}

/** Returns whether the model says, with enough confidence, that the belief does not hold. */
export function isDoubted({ isValid, confidence }: Judgement): boolean {
  return !isValid && confidence >= minConfidence
}

/** An invalid reason is left out, because only the judgement matters. */
function readJudgement(answer: unknown): Judgement | undefined {
  const isValid = getMember(answer, 'still_valid')
  const confidence = getMember(answer, 'confidence')
  if (typeof isValid !== 'boolean' || typeof confidence !== 'number') return undefined
  if (!(confidence >= 0 && confidence <= 1)) return undefined
  return { isValid, confidence, reason: readText(getMember(answer, 'reason'), maxReasonLength) }
}
