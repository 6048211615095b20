import Type from 'typebox'
import { type ChatAnswer, createChat } from '../../src/llm/chat.ts'
import { ModelFailure } from '../../src/llm/model-failure.ts'
import type { Patience } from '../../src/llm/request-retries.ts'
import { type Behaviour, startChatServer } from './chat-server.ts'
import { createTestClock } from './clock.ts'

export const secret = 'sk-secret-of-the-tests'
export const question = {
  system: 'You answer.',
  user: 'confidential evidence',
  schema: Type.Object({ a: Type.Number() }),
  name: 'answer',
}

export type Asking = Awaited<ReturnType<typeof startAsking>>

/** A chat model, and the server behind it. The package is loaded beforehand: that takes longer than patience here. */
export async function startAsking() {
  await import('../../src/llm/client.ts')
  const server = await startChatServer()
  const clock = createTestClock()
  const chatOf = (more: Partial<Parameters<typeof createChat>[0]> = {}) =>
    createChat({ endpoint: server.url, model: 'm1', apiKey: secret, timeoutMs: 400, clock, ...more })
  return {
    ...{ server, clock, chatOf },
    ask: (behaviour: Behaviour, patience: Partial<Patience> = {}): Promise<ChatAnswer> => {
      server.behave(behaviour)
      return chatOf().ask(question, patience)
    },
  }
}

export async function failureOf(asked: Promise<unknown>): Promise<ModelFailure> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ModelFailure)) throw new Error('no failure of a model')
  return error
}

export async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const started = performance.now()
  return [await work, performance.now() - started]
}
