import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEmbeddingModel } from '../../src/llm/embedding-model.ts'
import { createTestClock } from '../support/clock.ts'
import { catchModelFailure, secret } from '../support/models/chat-model.ts'
import {
  type Behaviour,
  type ChatServer,
  flood,
  hangUp,
  hangUpMidResponse,
  impatientMs,
  neverRespond,
  patientMs,
  respond,
  respondInTurn,
  startChatServer,
} from '../support/models/chat-server.ts'
import {
  computeVector,
  parseEmbeddingRequest,
  respondWithAlteredVectors,
  respondWithVectors,
} from '../support/models/embedding-server.ts'

const texts = ['a confidential text', 'another', 'and one more']
let server: ChatServer
beforeAll(async () => {
  // Loading the package takes longer than the short timeout here.
  await import('../../src/llm/client.ts')
  server = await startChatServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

const modelOf = (more: Partial<Parameters<typeof createEmbeddingModel>[0]> = {}) =>
  createEmbeddingModel({
    endpoint: server.url,
    model: 'm1',
    apiKey: secret,
    timeoutMs: patientMs,
    clock: createTestClock(),
    ...more,
  })

function ask(behaviour: Behaviour, more: Parameters<typeof modelOf>[0] = {}) {
  server.behave(behaviour)
  return modelOf(more).embed(texts)
}

describe('an embedding model', () => {
  it('returns the vectors in the order of the texts, for any order of the answer', async () => {
    expect(await ask(respondWithVectors())).toEqual(
      texts.map((text) => Float32Array.from(computeVector(text))),
    )
  })

  it('uses the position when the server sends no index', async () => {
    const vectors = await ask(
      respondWithAlteredVectors((data) => data.map(({ embedding }) => ({ embedding }))),
    )
    expect(vectors).toEqual(texts.map((text) => Float32Array.from(computeVector(text))))
  })

  it('sends all texts in one request, and dimensions only when they are configured', async () => {
    await ask(respondWithVectors())
    await ask(respondWithVectors({ dimensions: 8 }), { dimensions: 8 })
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/embeddings'])
    expect(server.requests.map(parseEmbeddingRequest)).toEqual([
      { model: 'm1', input: texts, encoding_format: 'float' },
      { model: 'm1', input: texts, encoding_format: 'float', dimensions: 8 },
    ])
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })

  it.each(['', '/', '/embeddings', '/embeddings/'])('is called at an endpoint ending in %j', async (end) => {
    await ask(respondWithVectors(), { endpoint: `${server.url}${end}` })
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/embeddings'])
  })

  it('is not called without texts', async () => {
    expect(await modelOf().embed([])).toEqual([])
    expect(server.requests).toEqual([])
  })
})

describe('an invalid answer of an embedding model', () => {
  it.each<[string, Behaviour]>([
    ['a vector too few', respondWithAlteredVectors((data) => data.slice(1))],
    ['a vector too many', respondWithAlteredVectors((data) => [...data, data[0]])],
    ['one index twice', respondWithAlteredVectors((data) => data.map((each) => ({ ...each, index: 0 })))],
    [
      'an index of no text',
      respondWithAlteredVectors((data) => data.map((each) => ({ ...each, index: each.index + 1 }))),
    ],
    [
      'an index of a half',
      respondWithAlteredVectors((data) => data.map((each) => ({ ...each, index: each.index / 2 }))),
    ],
    ['no vectors', respondWithAlteredVectors(() => undefined)],
    [
      'vectors that are none',
      respondWithAlteredVectors((data) => data.map((each) => ({ ...each, embedding: 'AAAA' }))),
    ],
    ['empty vectors', respondWithAlteredVectors((data) => data.map((each) => ({ ...each, embedding: [] })))],
    [
      'null for a number, as JSON writes NaN',
      respondWithAlteredVectors((data) => data.map((each) => ({ ...each, embedding: [1, null] }))),
    ],
    [
      'a number beyond 32 bits',
      respondWithAlteredVectors((data) => data.map((each) => ({ ...each, embedding: [1, 1e39] }))),
    ],
    [
      'vectors of two lengths',
      respondWithAlteredVectors((data) =>
        data.map(({ index }) => ({ index, embedding: Array(8 + index).fill(1) })),
      ),
    ],
    [
      'vectors wider than any model gives',
      respondWithAlteredVectors((data) =>
        data.map(({ index }) => ({ index, embedding: Array(4_097).fill(1) })),
      ),
    ],
    ['no object', respond(200, 'null')],
    ['no JSON', respond(200, '{"data": [')],
    ['more than can be', flood(48 * 1_024 * 1_024)],
  ])('is refused when it has %s', async (_, behaviour) => {
    const failure = await catchModelFailure(ask(behaviour))
    expect([failure.reason, failure.isTemporary]).toEqual(['invalid_answer', false])
  })

  it('is refused when it has other dimensions than requested', async () => {
    const failure = await catchModelFailure(ask(respondWithVectors({ dimensions: 16 }), { dimensions: 8 }))
    expect(failure.reason).toBe('invalid_answer')
  })
})

describe('an embedding server that does not answer', () => {
  it.each<[string, Behaviour, string, { timeoutMs: number }?]>([
    ['says that it has had enough', respond(429, {}), 'rate_limited'],
    ['breaks', respond(500, {}), 'unavailable'],
    ['refuses', respond(400, { error: { message: `cannot read ${texts[0]}` } }), 'refused'],
    ['lacks the model', respond(404, {}), 'refused'],
    ['sends elsewhere', respond(302, {}, { location: 'http://127.0.0.1:1/' }), 'refused'],
    ['hangs up', hangUp, 'unavailable'],
    ['hangs up midway', hangUpMidResponse, 'unavailable'],
    ['never ends', neverRespond, 'timeout', { timeoutMs: impatientMs }],
  ])(
    'is classified when it %s, without texts or keys in the error',
    async (_, behaviour, reason, patience) => {
      const failure = await catchModelFailure(ask(behaviour, patience))
      expect(failure.reason).toBe(reason)
      const report = `${failure.stack} ${JSON.stringify(failure)}`
      expect(report).not.toContain('confidential')
      expect(report).not.toContain(secret)
    },
  )

  it('is called again within the limit of retries', async () => {
    server.behave(respondInTurn(respond(503, {}), respondWithVectors()))
    expect(await modelOf().embed(texts, { retries: 1 })).toHaveLength(3)
    expect(server.requests).toHaveLength(2)
  })
})
