import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Embedder } from '../../src/embeddings/embedders/embedder.ts'
import { createQueryEmbedder } from '../../src/embeddings/index.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTestClock } from '../support/clock.ts'
import {
  type ChatServer,
  neverRespond,
  patientMs,
  respond,
  startChatServer,
} from '../support/models/chat-server.ts'
import {
  computeVector,
  parseEmbeddingRequest,
  respondWithVectors,
} from '../support/models/embedding-server.ts'
import { type Body, create, expectProblem } from '../support/requests/record-requests.ts'
import { buildStatement, retrieve } from '../support/requests/retrieval-requests.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { insertEmbeddingModel } from '../support/stores/insert-vectors.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { createEmbeddingWorker, createServerEmbedder } from '../support/workers/embedding-workers.ts'

const dimensions = 16
const second = 1_000
/** A text that must not appear in a log. */
const secret = 'quetzalcoatlus'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let server: ChatServer
let clock: ReturnType<typeof createTestClock>
let lines: string[]
beforeEach(async () => {
  // Loading the package takes longer than a query waits.
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

async function insertServingModel(model: string, provider = 'openai', length = dimensions): Promise<void> {
  await database.db.updateTable('embedding_models').set({ serves: false, embeds: false }).execute()
  await insertEmbeddingModel(database.db, length, { provider, model, max_sensitivity: 'low' })
}

const usual = { timeoutMs: patientMs, maxFailures: 3, pauseMs: 30 * second }

function open(more: Parameters<typeof createServerEmbedder>[2] = {}, settings = usual) {
  return openWith(createServerEmbedder({ clock }, server.url, more), settings)
}

function openWith(embedder: Embedder | undefined, settings = usual) {
  const log = createLogger({ level: 'info', clock, write: (line) => void lines.push(line) })
  return createQueryEmbedder({ db: database.db, clock, log, embedder, ...settings })
}

const outcomes = async (querying: ReturnType<typeof open>, texts: readonly string[]) => {
  const all: string[] = []
  for (const text of texts) all.push((await querying.embedText(text)).outcome)
  return all
}

describe('the vector of a question', () => {
  it('is that of the serving model', async () => {
    await insertServingModel('m1')
    const outcome = await open().embedText('a question')
    expect(outcome).toMatchObject({ outcome: 'embedded', model: { model: 'm1', dimensions } })
    expect(outcome.outcome === 'embedded' && [...outcome.vector]).toEqual(computeVector('a question'))
  })

  it('is asked of the server once for each text until the model changes', async () => {
    await insertServingModel('m1')
    const querying = open()
    await outcomes(querying, ['one', 'two', 'one', 'one', 'two'])
    expect(server.requests.map((seen) => parseEmbeddingRequest(seen).input)).toEqual([['one'], ['two']])
    await insertServingModel('m2')
    clock.advance(2 * second)
    // The API still has the old model configured, and sends nothing in its name.
    expect(await outcomes(querying, ['one'])).toEqual(['unanswered'])
    expect(server.requests).toHaveLength(2)
  })

  it('is forgotten after some hundred others', async () => {
    await insertServingModel('m1')
    const asked: string[] = []
    const embed: Embedder['embed'] = async (texts) => {
      asked.push(...texts)
      return texts.map((text) => Float32Array.from(computeVector(text)))
    }
    const querying = openWith({ provider: 'openai', model: 'm1', dimensions, embed })
    await outcomes(querying, ['first', ...Array.from({ length: 500 }, (_, at) => `text ${at}`), 'first'])
    expect(asked).toHaveLength(502)
  })

  it('is of the text cut to the length of the model, between two characters', async () => {
    await insertServingModel('m1')
    await open().embedText(`x${'🦕'.repeat(5_000)}`)
    const [input = ''] = server.requests.flatMap((seen) => parseEmbeddingRequest(seen).input)
    expect(input.length).toBeLessThanOrEqual(8_000)
    expect(input.isWellFormed()).toBe(true)
  })

  it('does not exist for a text without words, which is no failure', async () => {
    await insertServingModel('hash-v1', 'hash', 256)
    expect(await outcomes(open(), ['…', 'words'])).toEqual(['empty', 'embedded'])
    expect(server.requests).toEqual([])
  })

  it('does not exist without a serving or a configured model', async () => {
    expect(await outcomes(open(), ['one'])).toEqual(['unanswered'])
    await insertServingModel('m1')
    expect(await openWith(undefined).readServingModel()).toBeUndefined()
    expect(await outcomes(open(), ['one'])).toEqual(['embedded'])
  })

  it('is not asked of a model that is configured for other dimensions', async () => {
    await insertServingModel('m1')
    expect(await outcomes(open({ dimensions: 32 }), ['one'])).toEqual(['unanswered'])
    expect(server.requests).toEqual([])
  })
})

describe('the API with a failing embedding server', () => {
  it.each([
    ['fails', respond(500, { error: secret })],
    ['wants another key', respond(401, { error: secret })],
    ['answers with vectors of another length', respondWithVectors({ dimensions: 8 })],
  ])('stops calling a server that %s after three failures, for half a minute', async (_, behaviour) => {
    await insertServingModel('m1')
    const querying = open()
    server.behave(behaviour)
    expect(await outcomes(querying, [secret, 'b', 'c', 'd', 'e'])).toEqual(Array(5).fill('unanswered'))
    expect(server.requests).toHaveLength(3)
    clock.advance(31 * second)
    // One call finds that the server is still down; concurrent calls do not wait with it.
    await Promise.all(['f', 'g', 'h'].map((text) => querying.embedText(text)))
    expect(server.requests).toHaveLength(4)
    server.behave(respondWithVectors())
    clock.advance(31 * second)
    expect(await outcomes(querying, ['i', 'j', 'k'])).toEqual(Array(3).fill('embedded'))
    expect(lines.join('')).toContain('could not be embedded')
    expect(lines.join('')).not.toContain(secret)
  })

  it('stops after the configured number of failures, for the configured time', async () => {
    await insertServingModel('m1')
    const querying = open({}, { ...usual, maxFailures: 1, pauseMs: 5 * second })
    server.behave(respond(500, {}))
    await outcomes(querying, ['a', 'b'])
    expect(server.requests).toHaveLength(1)
    server.behave(respondWithVectors())
    clock.advance(5 * second - 1)
    expect(await outcomes(querying, ['c'])).toEqual(['unanswered'])
    clock.advance(1)
    expect(await outcomes(querying, ['c'])).toEqual(['embedded'])
  })

  it('pauses for no longer when the clock is set back meanwhile', async () => {
    await insertServingModel('m1')
    const querying = open({}, { ...usual, maxFailures: 1 })
    server.behave(respond(500, {}))
    await outcomes(querying, ['a'])
    server.behave(respondWithVectors())
    clock.advance(-3_600 * second)
    expect(await outcomes(querying, ['b'])).toEqual(['embedded'])
  })

  it('waits no longer than it is configured, even if a worker would', async () => {
    await insertServingModel('m1')
    const querying = open({}, { ...usual, timeoutMs: 300 })
    server.behave(neverRespond)
    const before = performance.now()
    expect(await outcomes(querying, ['one'])).toEqual(['unanswered'])
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})

describe('an API without its embedding server', () => {
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

  it('retrieves by its other channels, and refuses a search by text', async () => {
    const answer = await retrieve(app, { task_descriptor: 'is the pump primed?', explain: true, max_hops: 0 })
    const [node] = answer.nodes
    expect(node.record.id).toBe(id)
    expect(node.signals.channels.map(({ channel }: Body) => channel)).toEqual(['text'])
    const refused = await app.request('POST', '/v1/search/similar', { body: { text: 'the pump' } })
    expectProblem(refused, 503, 'model_unavailable')
  })

  it('still finds records similar to an embedded record or to a vector of the caller', async () => {
    const { status, body } = await app.request('POST', '/v1/search/similar', { body: { record_id: id } })
    expect([status, body]).toEqual([200, { items: [] }])
    const answer = await retrieve(app, {
      query_embedding: computeVector('the pump'),
      explain: true,
      max_hops: 0,
    })
    expect(answer.nodes[0].signals.channels.map(({ channel }: Body) => channel)).toEqual(['vector'])
  })
})

it('a search by record does not send a record above the sensitivity of the server to it', async () => {
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
