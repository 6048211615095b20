import Type from 'typebox'
import type { DreamQuestion } from '../model-question.ts'
import { formatRecord, formatRecords, getMember, type PromptRecord, readText } from '../prompt-lines.ts'

/** What a chat model is asked of a belief, and how little it may do about it. */

export type Judgement = { isValid: boolean; confidence: number; reason: string | undefined }

export type Belief = PromptRecord & { used_at: Date }

/** Below it the model does not know either. */
const minConfidence = 0.6
/** What is left of the base importance of a belief that was challenged. */
export const importanceFactor = 0.7

/** Records beside the belief. */
export const maxRelated = 10
const maxRelatedLength = 8_000
const maxReasonLength = 1_000

const system = [
  'You are shown a belief that an agent has held for some time without using it, and newer records about the same',
  'things, and judge whether it still holds today. Try to prove it wrong: look for what contradicts it, for dates that',
  'have passed, for what newer records say otherwise.',
  'still_valid: false only where there is such a reason; age alone is none.',
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

/** Undefined where the belief cannot be told. */
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

/** Whether it does not hold, as far as the model can be believed. */
export function isDoubted({ isValid, confidence }: Judgement): boolean {
  return !isValid && confidence >= minConfidence
}

/** A reason that cannot be kept is left out: what counts is the judgement. */
function readJudgement(answer: unknown): Judgement | undefined {
  const isValid = getMember(answer, 'still_valid')
  const confidence = getMember(answer, 'confidence')
  if (typeof isValid !== 'boolean' || typeof confidence !== 'number') return undefined
  if (!(confidence >= 0 && confidence <= 1)) return undefined
  return { isValid, confidence, reason: readText(getMember(answer, 'reason'), maxReasonLength) }
}

function formatDay(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
