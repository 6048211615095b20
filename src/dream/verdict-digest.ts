import { createHash } from 'node:crypto'
import type { StepName } from './steps.ts'

type AskedQuestion = {
  step: StepName
  /** The name of the model that was asked. */
  model: string
  /** All that the question was made of: ids with versions, or what was shown. In their order. */
  inputs: readonly (string | number)[]
}

/** Sixteen bytes that are others once the model or anything that it was shown is. */
export function createQuestionDigest({ step, model, inputs }: AskedQuestion): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([step, model, inputs]))
    .digest()
    .subarray(0, 16)
}
