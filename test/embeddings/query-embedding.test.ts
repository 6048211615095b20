import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createQueryEmbedder } from '../../src/embeddings/index.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { type ChatServer, neverRespond, respond, startChatServer } from '../support/chat-server.ts'
import { createTestClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/database.ts'
import { computeVector, parseEmbeddingRequest, respondWithVectors } from '../support/embedding-server.ts'
import { createEmbeddingWorker, createServerEmbedder } from '../support/embedding-workers.ts'
import { type Body, create, expectProblem } from '../support/record-requests.ts'
import { buildStatement, retrieve } from '../support/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const dimensions = 16
const second = 1_000
/** Of which nothing may be seen in a log. */
const secret = 'quetzalcoatlus'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let server: ChatServer
let clock: ReturnType<typeof createTestClock>
let lines: string[]
beforeEach(async () => {
  // Loading it takes longer than a query waits.
  await import('../../src/llm/client.ts')
  database = await openTestDatabase()
  server = await startChatServer(respondWithVectors())
  clock = createTestClock()
  lines = []
})
afterEach(async () => {
  await database.close()
  await server.close()
})

async function placeServing(model: string, provider = 'openai', length = dimensions): Promise<void> {
  const at = new Date('2026-01-01')
  await database.db.updateTable('embedding_models').set({ serves: false, embeds: false }).execute()
  await database.db
    .insertInto('embedding_models')
    .values({
      ...{ provider, model, dimensions: length, serves: true, embeds: true },
      ...{ registered_at: at, seen_at: at, walked_to: null, max_sensitivity: 'low' },
    })
    .execute()
}

function open(more: Parameters<typeof createServerEmbedder>[2] = {}) {
  const log = createLogger({ level: 'info', clock, write: (line) => void lines.push(line) })
  const embedder = createServerEmbedder({ clock }, server.url, more)
  return createQueryEmbedder({ db: database.db, clock, log, embedder })
}

const outcomes = async (querying: ReturnType<typeof open>, texts: readonly string[]) => {
  const all: string[] = []
  for (const text of texts) all.push((await querying.embedText(text)).outcome)
  return all
}

describe('a text that is asked', () => {
  it('is the vector that the serving model has of it', async () => {
    await placeServing('m1')
    const asked = await open().embedText('a question')
    expect(asked).toMatchObject({ outcome: 'embedded', model: { model: 'm1', dimensions } })
    expect(asked.outcome === 'embedded' && [...asked.vector]).toEqual(computeVector('a question'))
  })

  it('is asked once of a server, until its model is another', async () => {
    await placeServing('m1')
    const querying = open()
    await outcomes(querying, ['one', 'two', 'one', 'one', 'two'])
    expect(server.requests.map((seen) => parseEmbeddingRequest(seen).input)).toEqual([['one'], ['two']])
    await placeServing('m2')
    clock.advance(2 * second)
    // The API is still configured with the one before, and says nothing in its name.
    expect(await outcomes(querying, ['one'])).toEqual(['unanswered'])
    expect(server.requests).toHaveLength(2)
  })

  it('is forgotten after some hundred others', async () => {
    await placeServing('m1')
    const querying = open()
    await outcomes(querying, ['first', ...Array.from({ length: 500 }, (_, at) => `text ${at}`), 'first'])
    expect(server.requests).toHaveLength(502)
  })

  it('is cut to what a model reads, and between two characters', async () => {
    await placeServing('m1')
    await open().embedText(`x${'🦕'.repeat(5_000)}`)
    const [input = ''] = server.requests.flatMap((seen) => parseEmbeddingRequest(seen).input)
    expect(input.length).toBeLessThanOrEqual(8_000)
    expect(input.isWellFormed()).toBe(true)
  })

  it('that says nothing has no vector, which is no failure', async () => {
    await placeServing('hash-v1', 'hash', 256)
    expect(await outcomes(open(), ['…', 'words'])).toEqual(['empty', 'embedded'])
    expect(server.requests).toEqual([])
  })

  it('has none where no model serves, nor where none is configured', async () => {
    expect(await outcomes(open(), ['one'])).toEqual(['unanswered'])
    await placeServing('m1')
    const log = createLogger({ level: 'info', clock, write: () => {} })
    const none = createQueryEmbedder({ db: database.db, clock, log, embedder: undefined })
    expect(await none.servingModel()).toBeUndefined()
    expect(await outcomes(open(), ['one'])).toEqual(['embedded'])
  })

  it('is not asked of a model that is told to give other dimensions', async () => {
    await placeServing('m1')
    expect(await outcomes(open({ dimensions: 32 }), ['one'])).toEqual(['unanswered'])
    expect(server.requests).toEqual([])
  })
})

describe('a server that does not answer', () => {
  it.each([
    ['fails', respond(500, { error: secret })],
    ['wants another key', respond(401, { error: secret })],
    ['answers with vectors of another length', respondWithVectors({ dimensions: 8 })],
  ])('because it %s is left alone after three failures, for half a minute', async (_, behaviour) => {
    await placeServing('m1')
    const querying = open()
    server.behave(behaviour)
    expect(await outcomes(querying, [secret, 'b', 'c', 'd', 'e'])).toEqual(Array(5).fill('unanswered'))
    expect(server.requests).toHaveLength(3)
    clock.advance(31 * second)
    // One finds out that it is still not back, and those at the same time do not wait with it.
    await Promise.all(['f', 'g', 'h'].map((text) => querying.embedText(text)))
    expect(server.requests).toHaveLength(4)
    server.behave(respondWithVectors())
    clock.advance(31 * second)
    expect(await outcomes(querying, ['i', 'j', 'k'])).toEqual(Array(3).fill('embedded'))
    expect(lines.join('')).toContain('could not be embedded')
    expect(lines.join('')).not.toContain(secret)
  })

  it('keeps nobody waiting for longer than two seconds', async () => {
    await placeServing('m1')
    const querying = open({ timeoutMs: 60_000 })
    server.behave(neverRespond)
    const before = performance.now()
    expect(await outcomes(querying, ['one'])).toEqual(['unanswered'])
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})

describe('an API whose embedding server is away', () => {
  let app: TestApp
  let id: string
  beforeEach(async () => {
    app = await startTestApp({
      variables: {
        MEMBRANE_EMBEDDING_PROVIDER: 'openai',
        MEMBRANE_EMBEDDING_ENDPOINT: server.url,
        MEMBRANE_EMBEDDING_MODEL: 'm1',
      },
    })
    id = (await create(app, buildStatement('the pump is primed'))).id
    await createEmbeddingWorker(app, createServerEmbedder(app, server.url)).run()
    server.behave(respond(503, {}))
  })
  afterEach(() => app.close())

  it('retrieves by all else, and says that it cannot tell what is similar to a text', async () => {
    const answer = await retrieve(app, { task_descriptor: 'is the pump primed?', explain: true, max_hops: 0 })
    const [node] = answer.nodes
    expect(node.record.id).toBe(id)
    expect(node.signals.channels.map(({ channel }: Body) => channel)).toEqual(['text', 'salience'])
    const refused = await app.request('POST', '/v1/search/similar', { body: { text: 'the pump' } })
    expectProblem(refused, 503, 'model_unavailable')
  })

  it('still tells what is similar to what was embedded before, and goes by a vector of the caller', async () => {
    const { status, body } = await app.request('POST', '/v1/search/similar', { body: { record_id: id } })
    expect([status, body]).toEqual([200, { items: [] }])
    const answer = await retrieve(app, {
      query_embedding: computeVector('the pump'),
      explain: true,
      max_hops: 0,
    })
    expect(answer.nodes[0].signals.channels.map(({ channel }: Body) => channel)).toEqual([
      'vector',
      'salience',
    ])
  })
})

it('a record that a server may not read is not sent to it to find what is similar', async () => {
  const app = await startTestApp({
    variables: {
      MEMBRANE_EMBEDDING_PROVIDER: 'openai',
      MEMBRANE_EMBEDDING_ENDPOINT: server.url,
      MEMBRANE_EMBEDDING_MODEL: 'm1',
    },
  })
  try {
    await create(app, buildStatement('the pump is primed'))
    await createEmbeddingWorker(app, createServerEmbedder(app, server.url), 'low').run()
    const { id } = await create(app, buildStatement(secret, { sensitivity: 'high' }))
    const { status, body } = await app.request('POST', '/v1/search/similar', { body: { record_id: id } })
    expect([status, body]).toEqual([200, { items: [] }])
    expect(server.requests.some(({ text }) => text.includes(secret))).toBe(false)
  } finally {
    await app.close()
  }
})
