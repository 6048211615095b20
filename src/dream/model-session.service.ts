import { maskSecrets } from '../domain/secrets/masking.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import { abortWhenRunEnds } from '../jobs/runs/abort-when-run-ends.ts'
import { findRunFigures } from '../jobs/runs/run-figures.queries.ts'
import type { RunContext } from '../jobs/runs/runs.ts'
import type { Chat } from '../llm/chat.ts'
import { type ModelFailure, maxModelFailures } from '../llm/model-failure.ts'
import { addSpent, type Ceilings, isExhausted, readSpent, type Spent, toFigures } from '../llm/spending.ts'
import { askStrictly, type Reply } from '../llm/strict-question.ts'
import type { DreamOptions } from './dream.schemas.ts'
import {
  addAnswerRules,
  type DreamQuestion,
  type ModelReply,
  type ModelSession,
  type Refusal,
} from './model-question.ts'

export type DreamModel = {
  chat: Pick<Chat, 'ask' | 'model'>
  /** The limits of one run. */
  ceilings: Ceilings
  /** Records above this sensitivity are not sent to the model. */
  maxSensitivity: Sensitivity
}

/**
 * Opens the only access of a dream to a model, for one run, whose steps share the budget. It enforces the budget, stops when the run
 * ends and gives up when the model does not answer.
 */
export async function openModelSession(
  context: RunContext,
  model: DreamModel | undefined,
): Promise<ModelSession | undefined> {
  // The options were validated when the run was requested.
  const { ask_model: asksInDryRun = false } = context.run.options as DreamOptions
  if (!model || (context.run.dryRun && !asksInDryRun)) return undefined
  const spentBefore = readSpent(await findRunFigures(context.db, context.run.id), 'model')
  return createModelSession(context, model, spentBefore)
}

function createModelSession(context: RunContext, model: DreamModel, spentBefore: Spent): ModelSession {
  const { chat, ceilings, maxSensitivity } = model
  let spent = spentBefore
  let failures = 0

  const canAsk = () => failures < maxModelFailures && !isExhausted(spent, ceilings)

  async function ask<T>(question: DreamQuestion<T>): Promise<ModelReply<T>> {
    if (!canAsk()) return { refused: 'unavailable' }
    const startedMs = performance.now()
    const reply = await abortWhenRunEnds(context, (signal) =>
      askStrictly(toQuestion(question), { chat, ceilings, signal, read: question.read }),
    )
    const ms = Math.round(performance.now() - startedMs)
    spent = addSpent(spent, reply.spent)
    // Stored at once and not with the result: a call is paid for even if the worker crashes next.
    await context.inBatch(async () => ({ counts: toCounts(reply, ms) }))
    if ('answer' in reply) failures = 0
    return 'answer' in reply ? { answer: reply.answer } : { refused: countFailure(reply.failure) }
  }

  function countFailure(failure: ModelFailure): Refusal {
    if (failure.reason === 'invalid_answer') {
      failures = 0
      return 'invalid'
    }
    // A server that refuses one question may accept the next.
    failures = failure.affectsAllRequests ? maxModelFailures : failures + 1
    return 'unavailable'
  }

  return { model: chat.model, maxSensitivity, ask, canAsk }
}

function toQuestion<T>({ system, document, schema, name }: DreamQuestion<T>) {
  return { system: addAnswerRules(system), user: JSON.stringify(maskSecrets(document)), schema, name }
}

function toCounts<T>(reply: Reply<T>, ms: number): Record<string, number> {
  const isInvalid = 'failure' in reply && reply.failure.reason === 'invalid_answer'
  return {
    model_calls: 1,
    model_invalid_answers: isInvalid ? 1 : 0,
    model_ms: ms,
    ...toFigures(reply.spent, 'model'),
  }
}
