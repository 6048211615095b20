import { type ChatServer, patientMs, startChatServer } from '../models/chat-server.ts'
import { type Body, create, payloads } from '../requests/record-requests.ts'
import { startTestApp, type TestApp } from '../test-app.ts'

export const modelKey = 'sk-secret-of-the-model'

export type InterpretationApp = Awaited<ReturnType<typeof startInterpretationApp>>

/** Starts an API that lets a chat server interpret what is captured. */
export async function startInterpretationApp(waitMs: number = patientMs) {
  // The package is loaded first, because that takes longer than a short wait.
  await import('../../../src/llm/client.ts')
  const model: ChatServer = await startChatServer()
  const app: TestApp = await startTestApp({
    variables: {
      MEMBRANE_TOMBSTONE_KEY: 'a tombstone key of the tests',
      MEMBRANE_INGEST_LLM_ENABLED: 'true',
      MEMBRANE_INGEST_LLM_ENDPOINT: model.url,
      MEMBRANE_INGEST_LLM_MODEL: 'reader',
      MEMBRANE_INGEST_LLM_API_KEY: modelKey,
      MEMBRANE_INGEST_LLM_TIMEOUT: `${waitMs}ms`,
    },
  })
  return {
    app,
    model,
    /** The warnings in the log of the API. */
    warnings: (): Body[] =>
      app.log.map((line) => JSON.parse(line)).filter(({ level }: Body) => level === 'warn'),
    /** The documents that the model was asked to interpret. */
    readPrompts: (): Body[] => model.requests.map(({ body }) => JSON.parse(body.messages[1]?.content ?? '')),
    entity: (name: string, more: object = {}): Promise<Body> =>
      create(app, { type: 'entity', payload: { ...payloads.entity, canonical_name: name }, ...more }),
    clearRequestsAndLogs: () => {
      model.requests.length = 0
      app.log.length = 0
    },
    close: async () => {
      await app.close()
      await model.close()
    },
  }
}

/** Builds a model answer with one mention. */
export function buildMentionAnswer(mention: object): object {
  return { mentions: [{ surface: 'm', entity_kind: 'Tool', ...mention }] }
}
