import type { Transaction } from '../db/transaction.ts'
import { attemptBatch } from '../jobs/runs/attempt.ts'
import type { BatchResult, RunContext } from '../jobs/runs/runs.ts'
import type { DreamQuestion, ModelReply, ModelSession } from './model-question.ts'

type QuestionLoop<T, D> = {
  part: string
  /** The questions that the run may still ask. */
  remaining: number
  due: AsyncIterable<D>
  getRecordId(due: D): string
  storeReply(tx: Transaction, due: D, reply: ModelReply<T>): Promise<BatchResult>
}

/** Asks the due questions one after the other and stores each reply, until the run or the model has reached its limit. */
export async function askDueQuestions<T, D extends { question: DreamQuestion<T> }>(
  context: RunContext,
  model: ModelSession,
  { part, remaining, due, getRecordId, storeReply }: QuestionLoop<T, D>,
): Promise<void> {
  if (remaining <= 0) return
  let left = remaining
  for await (const each of due) {
    const reply = await model.ask(each.question)
    const about = { part, recordId: getRecordId(each) }
    if (isConclusive(reply)) await attemptBatch(context, about, (tx) => storeReply(tx, each, reply))
    if (!model.canAsk() || --left === 0) return
  }
}

/** Whether the reply is about the question. Otherwise the model was unavailable, and another run asks again. */
export function isConclusive(reply: ModelReply<unknown>): boolean {
  return 'answer' in reply || reply.refused === 'invalid'
}
