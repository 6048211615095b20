import type { Chat, Question } from './chat.ts'
import { type AnswerSize, ModelFailure } from './model-failure.ts'
import { type Ceilings, computeSpent, nothingSpent, type Spent } from './spending.ts'

/** The answer or the failure, and the cost. */
export type Reply<T> = { spent: Spent } & ({ answer: T } | { failure: ModelFailure })

type AskOptions<T> = {
  chat: Pick<Chat, 'ask'>
  ceilings: Ceilings
  signal: AbortSignal
  /** Returns undefined if the value does not answer the question. */
  read(value: unknown): T | undefined
}

const retries = 2
const noAnswer: AnswerSize = { promptTokens: 0, completionTokens: 0, length: 0 }

export async function askStrictly<T>(
  question: Question,
  { chat, ceilings, signal, read }: AskOptions<T>,
): Promise<Reply<T>> {
  const questionText = question.system + question.user
  try {
    const reply = await chat.ask(question, { retries, signal })
    const spent = computeSpent(questionText, reply, ceilings)
    const answer = read(reply.value)
    return answer === undefined ? { spent, failure: new ModelFailure('invalid_answer') } : { spent, answer }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    // An answer that cannot be read costs the same as any other.
    const isPaid = error.reason === 'invalid_answer'
    const spent = isPaid ? computeSpent(questionText, error.size ?? noAnswer, ceilings) : nothingSpent
    return { spent, failure: error }
  }
}
