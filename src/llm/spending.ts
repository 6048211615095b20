import type { AnswerSize } from './model-failure.ts'

/** The tokens and the money that a run has spent on a model, and whether it may spend more. */

export type Ceilings = {
  /** 0 means no limit. */
  maxTokens: number
  /** In the currency of the prices. 0 means no limit. */
  maxCost: number
  /** Per million tokens. */
  promptPrice: number
  completionPrice: number
}

export type Spent = { promptTokens: number; completionTokens: number; costMicros: number }

export const nothingSpent: Spent = { promptTokens: 0, completionTokens: 0, costMicros: 0 }

/** The figures of a run that count what it has spent, each with a prefix: `model_prompt_tokens`. */
const figureNames = {
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  costMicros: 'cost_micros',
} as const

type Prefix = 'model' | 'extraction'

export function readSpent(figures: Readonly<Record<string, number>>, prefix: Prefix): Spent {
  const read = (name: keyof Spent) => figures[`${prefix}_${figureNames[name]}`] ?? 0
  return {
    promptTokens: read('promptTokens'),
    completionTokens: read('completionTokens'),
    costMicros: read('costMicros'),
  }
}

export function toFigures(spent: Spent, prefix: Prefix): Record<string, number> {
  return {
    [`${prefix}_${figureNames.promptTokens}`]: spent.promptTokens,
    [`${prefix}_${figureNames.completionTokens}`]: spent.completionTokens,
    [`${prefix}_${figureNames.costMicros}`]: spent.costMicros,
  }
}

/** An estimate for servers that do not count tokens. */
const charactersPerToken = 4

export function computeSpent(
  question: string,
  answer: AnswerSize,
  { promptPrice, completionPrice }: Ceilings,
): Spent {
  const estimate = (length: number) => Math.ceil(length / charactersPerToken)
  const promptTokens = answer.promptTokens || estimate(question.length)
  const completionTokens = answer.completionTokens || estimate(answer.length)
  // The price is per million tokens and the cost in millionths, so no factor is needed.
  const costMicros = Math.ceil(promptTokens * promptPrice + completionTokens * completionPrice)
  return { promptTokens, completionTokens, costMicros }
}

export function addSpent(one: Spent, other: Spent): Spent {
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    costMicros: one.costMicros + other.costMicros,
  }
}

export function isExhausted(spent: Spent, { maxTokens, maxCost }: Ceilings): boolean {
  const tokens = spent.promptTokens + spent.completionTokens
  return (maxTokens > 0 && tokens >= maxTokens) || (maxCost > 0 && spent.costMicros >= maxCost * 1_000_000)
}
