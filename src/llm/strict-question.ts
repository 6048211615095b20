import type { Chat, Question } from './chat.ts'
import { ModelFailure } from './model-failure.ts'
import { type Ceilings, nothingSpent, priceOf, type Spent } from './spending.ts'

/** What came of a question, and what it cost. */
export type Reply<T> = { spent: Spent } & ({ answer: T } | { failure: ModelFailure })

type Questioning<T> = {
  chat: Pick<Chat, 'ask'>
  ceilings: Ceilings
  signal: AbortSignal
  /** Undefined for what is no answer to the question. */
  read(value: unknown): T | undefined
}

const retries = 2

export async function putQuestion<T>(
  question: Question,
  { chat, ceilings, signal, read }: Questioning<T>,
): Promise<Reply<T>> {
  const asked = question.system + question.user
  try {
    const told = await chat.ask(question, { retries, signal })
    const spent = priceOf(asked, told, ceilings)
    const answer = read(told.value)
    return answer === undefined ? { spent, failure: new ModelFailure('invalid_answer') } : { spent, answer }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    // An answer that could not be read was paid for all the same.
    const isPaid = error.reason === 'invalid_answer'
    const spent = isPaid ? priceOf(asked, { promptTokens: 0, completionTokens: 0 }, ceilings) : nothingSpent
    return { spent, failure: error }
  }
}
