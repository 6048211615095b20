import Type from 'typebox'
import { type ChatAnswer, createChat } from '../../../src/llm/chat.ts'
import { ModelFailure } from '../../../src/llm/model-failure.ts'
import type { RetryOptions } from '../../../src/llm/request-retries.ts'
import { createTestClock } from '../clock.ts'
import { type Behaviour, patientMs, startChatServer } from './chat-server.ts'

export const secret = 'sk-secret-of-the-tests'
/** A question as the product asks one: instructions, evidence, and the schema of the answer. */
export const question = {
  system: 'You answer.',
  user: 'confidential evidence',
  schema: Type.Object({ a: Type.Number() }),
  name: 'answer',
}

/**
 * Starts a chat server and builds chat models that call it. It loads the client package first, because that takes
 * longer than the short timeouts of some tests.
 */
export async function startChatModel() {
  await import('../../../src/llm/client.ts')
  const server = await startChatServer()
  const clock = createTestClock()
  const chatOf = (more: Partial<Parameters<typeof createChat>[0]> = {}) =>
    createChat({ endpoint: server.url, model: 'm1', apiKey: secret, timeoutMs: patientMs, clock, ...more })
  return {
    server,
    clock,
    chatOf,
    ask: (behaviour: Behaviour, patience: Partial<RetryOptions> = {}): Promise<ChatAnswer> => {
      server.behave(behaviour)
      return chatOf().ask(question, patience)
    },
  }
}

/** Returns the model failure with which a call rejects; throws when the call succeeds. */
export async function catchModelFailure(answer: Promise<unknown>): Promise<ModelFailure> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ModelFailure)) throw new Error('no failure of a model')
  return error
}

/** Returns the result of some work and how long it took in milliseconds. */
export async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const started = performance.now()
  return [await work, performance.now() - started]
}
