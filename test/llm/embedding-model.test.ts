import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEmbeddingModel } from '../../src/llm/embedding-model.ts'
import { failureOf, secret, timed } from '../support/chat-model.ts'
import {
  type Behaviour,
  type ChatServer,
  flooding,
  hangingUp,
  hangingUpMidway,
  inTurn,
  never,
  sending,
  startChatServer,
} from '../support/chat-server.ts'
import { createTestClock } from '../support/clock.ts'
import { askedOf, distorting, embedding, vectorOf } from '../support/embedding-server.ts'

const texts = ['a confidential text', 'another', 'and one more']
let server: ChatServer
beforeAll(async () => {
  // That takes longer than patience here.
  await import('../../src/llm/client.ts')
  server = await startChatServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

const modelOf = (more: Partial<Parameters<typeof createEmbeddingModel>[0]> = {}) =>
  createEmbeddingModel({
    ...{ endpoint: server.url, model: 'm1', apiKey: secret, timeoutMs: 400, clock: createTestClock() },
    ...more,
  })

function ask(behaviour: Behaviour, more: Parameters<typeof modelOf>[0] = {}) {
  server.behave(behaviour)
  return modelOf(more).embed(texts)
}

describe('an embedding model', () => {
  it('answers a vector for each text, in their order whatever the order of the answer', async () => {
    expect(await ask(embedding())).toEqual(texts.map((text) => Float32Array.from(vectorOf(text))))
  })

  it('takes the place for the index where a server tells none', async () => {
    const vectors = await ask(distorting((data) => data.map(({ embedding }) => ({ embedding }))))
    expect(vectors).toEqual(texts.map((text) => Float32Array.from(vectorOf(text))))
  })

  it('is asked once for all texts, for numbers, and for dimensions only when they are set', async () => {
    await ask(embedding())
    await ask(embedding({ dimensions: 8 }), { dimensions: 8 })
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/embeddings'])
    expect(server.requests.map(askedOf)).toEqual([
      { model: 'm1', input: texts, encoding_format: 'float' },
      { model: 'm1', input: texts, encoding_format: 'float', dimensions: 8 },
    ])
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })

  it.each(['', '/', '/embeddings', '/embeddings/'])('is found at an endpoint ending in %j', async (end) => {
    await ask(embedding(), { endpoint: `${server.url}${end}` })
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/embeddings'])
  })

  it('is not asked about nothing', async () => {
    expect(await modelOf().embed([])).toEqual([])
    expect(server.requests).toEqual([])
  })
})

describe('an answer that cannot be', () => {
  it.each<[string, Behaviour]>([
    ['a vector too few', distorting((data) => data.slice(1))],
    ['a vector too many', distorting((data) => [...data, data[0]])],
    ['one index twice', distorting((data) => data.map((each) => ({ ...each, index: 0 })))],
    ['an index of nobody', distorting((data) => data.map((each) => ({ ...each, index: each.index + 1 })))],
    ['an index of a half', distorting((data) => data.map((each) => ({ ...each, index: each.index / 2 })))],
    ['no vectors', distorting(() => undefined)],
    ['vectors that are none', distorting((data) => data.map((each) => ({ ...each, embedding: 'AAAA' })))],
    ['empty vectors', distorting((data) => data.map((each) => ({ ...each, embedding: [] })))],
    [
      'null for a number, as JSON writes NaN',
      distorting((data) => data.map((each) => ({ ...each, embedding: [1, null] }))),
    ],
    [
      'a number beyond 32 bits',
      distorting((data) => data.map((each) => ({ ...each, embedding: [1, 1e39] }))),
    ],
    [
      'vectors of two lengths',
      distorting((data) => data.map(({ index }) => ({ index, embedding: Array(8 + index).fill(1) }))),
    ],
    [
      'vectors wider than any model gives',
      distorting((data) => data.map(({ index }) => ({ index, embedding: Array(4_097).fill(1) }))),
    ],
    ['no object', sending(200, 'null')],
    ['no JSON', sending(200, '{"data": [')],
    ['more than can be', flooding(48 * 1_024 * 1_024)],
  ])('is refused when it has %s', async (_, behaviour) => {
    const failure = await failureOf(ask(behaviour, { timeoutMs: 20_000 }))
    expect([failure.reason, failure.isPassing]).toEqual(['invalid_answer', false])
  })

  it('is one of other dimensions than were asked for', async () => {
    const failure = await failureOf(ask(embedding({ dimensions: 16 }), { dimensions: 8 }))
    expect(failure.reason).toBe('invalid_answer')
  })
})

describe('a server that does not answer', () => {
  it.each<[string, Behaviour, string]>([
    ['says that it has had enough', sending(429, {}), 'rate_limited'],
    ['breaks', sending(500, {}), 'unavailable'],
    ['refuses', sending(400, { error: { message: `cannot read ${texts[0]}` } }), 'refused'],
    ['lacks the model', sending(404, {}), 'refused'],
    ['sends elsewhere', sending(302, {}, { location: 'http://127.0.0.1:1/' }), 'refused'],
    ['hangs up', hangingUp, 'unavailable'],
    ['hangs up midway', hangingUpMidway, 'unavailable'],
    ['never ends', never, 'timeout'],
  ])('is known by how it %s, and neither texts nor keys are told on', async (_, behaviour, reason) => {
    const failure = await failureOf(ask(behaviour))
    expect(failure.reason).toBe(reason)
    const told = `${failure.stack} ${JSON.stringify(failure)}`
    expect(told).not.toContain('confidential')
    expect(told).not.toContain(secret)
  })

  it('is asked again as patience has it, and no sooner than it said', async () => {
    server.behave(inTurn(sending(429, {}, { 'retry-after': '1' }), sending(503, {}), embedding()))
    const [vectors, elapsed] = await timed(modelOf().embed(texts, { retries: 2 }))
    expect(vectors).toHaveLength(3)
    expect(server.requests).toHaveLength(3)
    expect(elapsed).toBeGreaterThanOrEqual(1_500)
  })
})
