import { createHash } from 'node:crypto'
import type { StepName } from './steps.ts'

type AskedQuestion = {
  step: StepName
  /** The name of the model. */
  model: string
  /** Everything the question was made from, in order: ids with versions, or the document. */
  inputs: readonly (string | number)[]
}

/** Returns 16 bytes that change if the model or anything it was shown changes. */
export function createQuestionDigest({ step, model, inputs }: AskedQuestion): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([step, model, inputs]))
    .digest()
    .subarray(0, 16)
}
