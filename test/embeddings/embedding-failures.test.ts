import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyApp } from '../support/apps/shared-store.ts'
import {
  type Behaviour,
  type ChatServer,
  hangUp,
  neverRespond,
  respond,
  respondInTurn,
  startChatServer,
} from '../support/models/chat-server.ts'
import {
  failOnText,
  parseEmbeddingRequest,
  respondWithAlteredVectors,
  respondWithVectors,
} from '../support/models/embedding-server.ts'
import { create, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import {
  createEmbeddingWorker,
  createServerEmbedder,
  readEmbeddingModels,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

let app: TestApp
let server: ChatServer
beforeAll(async () => {
  await import('../../src/llm/client.ts')
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  server = await startChatServer(respondWithVectors())
})
afterEach(async () => {
  await server.close()
  await emptyApp(app)
})

const minute = 60_000
const isPoison = (text: string) => text.includes('poison')
const createServerWorker = (patience: { timeoutMs?: number } = {}) =>
  createEmbeddingWorker(app, createServerEmbedder(app, server.url, patience))
/** For a server that never answers some requests, and others within this time. */
const impatient = { timeoutMs: 700 }

async function write(...objects: string[]): Promise<string[]> {
  const body = { records: objects.map((object) => fact({ payload: { ...payloads.semantic, object } })) }
  const { body: answer } = await app.request('POST', '/v1/records/batch', { body })
  return (answer as { results: { record: { id: string } }[] }).results.map(({ record }) => record.id)
}
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`)

describe('a text that the embedding server cannot read', () => {
  it.each<[string, Behaviour, { timeoutMs: number }?]>([
    ['is refused', respond(400, {})],
    ['is refused by a filter', respond(403, {})],
    ['is too large for the server', respond(413, {})],
    ['breaks the server', respond(500, {})],
    ['makes the server hang up', hangUp],
    ['makes the server never answer', neverRespond, impatient],
    [
      'gets an invalid vector',
      respondWithAlteredVectors((data) => data.map((each) => ({ ...each, embedding: [null] }))),
    ],
    ['gets a vector of other dimensions', respondWithVectors({ dimensions: 8 })],
  ])(
    'does not keep the other text of its request from a vector when it %s',
    async (_, failure, patience) => {
      const ids = await write('poison', 'word')
      server.behave(failOnText(isPoison, failure))
      const { status, stats } = await createServerWorker(patience).run()
      expect([status, stats]).toMatchObject(['succeeded', { embedded: 1, failed: 1, given_up: 0 }])
      expect((await readVectors(app)).map(({ record_id: id }) => id)).toEqual([ids[1]])
      expect(await readEmbeddingQueue(app)).toMatchObject([{ record_id: ids[0], attempts: 1 }])
    },
    60_000,
  )

  it('is found among the texts of several requests', async () => {
    const ids = await write(...words(5), 'poison', ...words(40))
    server.behave(failOnText(isPoison))
    expect((await createServerWorker().run()).stats).toMatchObject({ embedded: 45, failed: 1 })
    expect(await readEmbeddingQueue(app)).toMatchObject([{ record_id: ids[5], attempts: 1 }])
  })

  it('is retried with growing pauses, given up after eight attempts, and counted', async () => {
    const [id = ''] = await write('poison')
    server.behave(failOnText(isPoison))
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 7; attempt++) {
      expect((await createServerWorker().run()).stats).toMatchObject({ failed: 1, given_up: 0 })
      const [row] = await readEmbeddingQueue(app)
      pauses.push((row?.due_at.getTime() ?? 0) - app.clock.now().getTime())
      expect((await createServerWorker().run()).stats).toMatchObject({ failed: 0 })
      app.clock.advance(pauses.at(-1) ?? 0)
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640].map((seconds) => seconds * 1_000))
    const last = createServerWorker()
    expect((await last.run()).stats).toMatchObject({ failed: 1, given_up: 1 })
    expect(last.lines.join()).toContain(id)
    app.clock.advance(1_000 * minute)
    expect((await createServerWorker().run({ dryRun: true })).stats).toEqual({
      due: 0,
      waiting: 0,
      given_up: 1,
      to_compare: 0,
    })
  })

  it('loses the vector of its old content when it is given up', async () => {
    const [id] = await write('word')
    await createServerWorker().run()
    await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['poison'] } })
    server.behave(failOnText(isPoison))
    await app.db.updateTable('unembedded').set({ attempts: 7 }).execute()
    expect((await createServerWorker().run()).stats).toMatchObject({ given_up: 1 })
    expect(await readVectors(app)).toEqual([])
  })

  it('is retried when it changes and when a run is requested', async () => {
    await createServerWorker().run()
    const ids = await write('poison one', 'poison two')
    await app.db
      .updateTable('unembedded')
      .set({ attempts: 8, due_at: Infinity as never })
      .execute()
    await app.request('PATCH', `/v1/records/${ids[0]}`, { body: { tags: ['mended'] } })
    expect((await createServerWorker().run({ dryRun: true })).stats).toEqual({
      due: 1,
      waiting: 0,
      given_up: 1,
      to_compare: 0,
    })
    expect((await createServerWorker().run()).stats).toMatchObject({ revived: 1, embedded: 2 })
  })

  it('is cut to its beginning when it is too long', async () => {
    await write('long '.repeat(5_000))
    server.behave(failOnText((text) => text.length > 1_000))
    expect((await createServerWorker().run()).stats).toMatchObject({ embedded: 1, failed: 0 })
    const lengths = server.requests.flatMap((seen) =>
      parseEmbeddingRequest(seen).input.map((text) => text.length),
    )
    expect(Math.max(...lengths)).toBe(8_000)
  })
})

describe('an embedding server that is unavailable', () => {
  it.each<[string, Behaviour, { timeoutMs: number }?]>([
    ['breaks', respond(503, {})],
    ['hangs up', hangUp],
    ['never ends', neverRespond, impatient],
    ['has had enough', respond(429, {})],
    ['does not know us', respond(401, {})],
    ['admits no request', respond(403, {})],
    ['lacks the model', respond(404, {})],
    ['refuses every request', respond(400, {})],
    ['sends elsewhere', respond(307, {}, { location: 'http://127.0.0.1:1/' })],
    ['has another model under the name', respondWithVectors({ dimensions: 8 })],
  ])('costs no text an attempt when it %s', async (_, failure, patience) => {
    await write(...words(3))
    server.behave(respondInTurn(respondWithVectors(), failure))
    const { status, error } = await createServerWorker(patience).run()
    expect([status, error]).toEqual(['failed', expect.stringContaining('the model did not answer')])
    const rows = await readEmbeddingQueue(app)
    expect(rows.map(({ attempts, due_at }) => [attempts, due_at])).toEqual(
      Array(3).fill([0, app.clock.now()]),
    )
    server.behave(respondWithVectors())
    expect((await createServerWorker().run()).stats).toMatchObject({ embedded: 3 })
  })

  it('is not registered as a model before it has answered', async () => {
    server.behave(respond(503, {}))
    expect((await createServerWorker().run()).status).toBe('failed')
    expect(await readEmbeddingModels(app)).toEqual([])
  })

  it('writes no content to the log', async () => {
    await write('confidential evidence', 'confidential poison')
    server.behave(failOnText(isPoison, respond(400, { error: { message: 'confidential evidence' } })))
    const worker = createServerWorker()
    await app.db.updateTable('unembedded').set({ attempts: 7 }).execute()
    await worker.run()
    server.behave(respond(500, 'confidential evidence'))
    await write('confidential more')
    await worker.run()
    expect(worker.lines.length).toBeGreaterThan(1)
    expect(worker.lines.join()).not.toContain('confidential')
  })
})

describe('an external embedding server', () => {
  it('gets no record above the sensitivity for models, which hashing embeds all the same', async () => {
    await create(app, { ...fact({ tags: ['harmless'] }), sensitivity: 'low' })
    const { id } = await create(app, { ...fact({ tags: ['secret'] }), sensitivity: 'medium' })
    expect((await createServerWorker().run()).stats).toMatchObject({ embedded: 1, without_vector: 1 })
    expect(JSON.stringify(server.requests.map(({ text }) => text))).not.toContain('secret')
    await app.request('PATCH', `/v1/records/${id}`, { body: { sensitivity: 'low' } })
    expect((await createServerWorker().run()).stats).toMatchObject({ embedded: 1 })
    app.clock.advance(2 * minute)
    await create(app, { ...fact({ tags: ['hyper'] }), sensitivity: 'hyper' })
    expect((await createEmbeddingWorker(app).run()).stats).toMatchObject({ embedded: 3, without_vector: 0 })
  })

  it('gets requests of limited size', async () => {
    await write(...words(33), ...words(9).map((word) => word.padEnd(8_000, ' long')))
    await createServerWorker().run()
    const sizes = server.requests.map((seen) => parseEmbeddingRequest(seen).input)
    expect(Math.max(...sizes.map((input) => input.length))).toBe(32)
    expect(Math.max(...sizes.map((input) => input.join('').length))).toBeLessThanOrEqual(65_536)
    expect(await readVectors(app)).toHaveLength(42)
  })
})
