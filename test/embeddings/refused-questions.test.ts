import { expect, it } from 'vitest'
import { respond, startChatServer } from '../support/models/chat-server.ts'
import { failOnText, respondWithVectors } from '../support/models/embedding-server.ts'
import { create } from '../support/requests/record-requests.ts'
import { buildStatement } from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker, createServerEmbedder } from '../support/workers/embedding-workers.ts'

it.each([400, 403])(
  'questions that the server refuses with %i leave the searches of other keys their vectors',
  async (status) => {
    const server = await startChatServer(respondWithVectors())
    const app = await startTestApp({
      variables: {
        MEMBRANE_EMBEDDING_PROVIDER: 'openai',
        MEMBRANE_EMBEDDING_ENDPOINT: server.url,
        MEMBRANE_EMBEDDING_MODEL: 'm1',
      },
    })
    const { id } = await create(app, buildStatement('the pump is primed'))
    await createEmbeddingWorker(app, createServerEmbedder(app, server.url)).run()
    server.behave(failOnText((text) => text.includes('too long'), respond(status, {})))
    const search = (text: string) => app.request('POST', '/v1/search/similar', { body: { text } })
    for (const n of [1, 2, 3, 4]) expect((await search(`too long ${n}`)).status).toBe(503)
    expect(await search('the pump is primed')).toMatchObject({
      status: 200,
      body: { items: [{ record: { id } }] },
    })
    await app.close()
    await server.close()
  },
)
