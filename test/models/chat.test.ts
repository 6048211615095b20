import Type from 'typebox'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ChatAnswer, createChat } from '../../src/models/chat.ts'
import { ModelFailure } from '../../src/models/failure.ts'
import type { Patience } from '../../src/models/persistence.ts'
import {
  answering,
  type Behaviour,
  type ChatServer,
  flooding,
  hangingUp,
  hangingUpMidway,
  inTurn,
  never,
  refusingSchemas,
  saying,
  sending,
  slowly,
  stalling,
  startChatServer,
} from '../support/chat-server.ts'
import { createTestClock } from '../support/clock.ts'

const clock = createTestClock()
const secret = 'sk-secret-of-the-tests'
const question = {
  system: 'You answer.',
  user: 'confidential evidence',
  schema: Type.Object({ a: Type.Number() }),
  name: 'answer',
}
let server: ChatServer

beforeAll(async () => {
  server = await startChatServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})
afterEach(() => void vi.unstubAllEnvs())

function chatOf(more: Partial<Parameters<typeof createChat>[0]> = {}) {
  return createChat({ endpoint: server.url, model: 'm1', apiKey: secret, timeoutMs: 400, clock, ...more })
}

function ask(behaviour: Behaviour, patience: Partial<Patience> = {}): Promise<ChatAnswer> {
  server.behave(behaviour)
  return chatOf().ask(question, patience)
}

async function failureOf(asked: Promise<unknown>): Promise<ModelFailure> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ModelFailure)) throw new Error('no failure of a model')
  return error
}

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const started = performance.now()
  return [await work, performance.now() - started]
}

describe('a chat model', () => {
  it('answers with JSON and what it cost', async () => {
    expect(await ask(answering({ a: 1 }))).toEqual({ value: { a: 1 }, promptTokens: 70, completionTokens: 5 })
  })

  it('is asked with its name, the schema, and nothing about this machine', async () => {
    await ask(answering({ a: 1 }))
    const [seen] = server.requests
    if (!seen) throw new Error('nothing was asked')
    const { path, headers, body } = seen
    expect(path).toBe('/v1/chat/completions')
    expect(body).toMatchObject({
      model: 'm1',
      messages: [{ role: 'system' }, { role: 'user', content: 'confidential evidence' }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    })
    expect(body.messages[0]?.content).toContain('"required":["a"]')
    const usual = [
      'host',
      'connection',
      'content-length',
      'accept-language',
      'sec-fetch-mode',
      'accept-encoding',
    ]
    const own = Object.keys(headers).filter((name) => !usual.includes(name))
    expect(own.sort()).toEqual(['accept', 'authorization', 'content-type', 'user-agent'])
    expect([headers.authorization, headers['user-agent']]).toEqual([`Bearer ${secret}`, 'membrane'])
  })

  it.each(['', '/', '/chat/completions', '/chat/completions/'])(
    'is found at an endpoint ending in %j',
    async (end) => {
      server.behave(answering({}))
      await chatOf({ endpoint: `${server.url}${end}` }).ask(question)
      expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
    },
  )

  it.each([
    ['prose around its answer', saying('Sure! ```json\n{"a": 1}\n``` Anything else?')],
    ['no word of what it cost', saying('{"a": 1}', null)],
    ['nonsense for what it cost', saying('{"a": 1}', { prompt_tokens: '70', completion_tokens: -5 })],
  ])('may have %s', async (_name, behaviour) => {
    expect(await ask(behaviour)).toMatchObject({ value: { a: 1 } })
  })

  it.each([400, 404, 415, 422, 501])(
    'that answers schemas with %i is asked without, and from then on',
    async (status) => {
      server.behave(refusingSchemas(status, answering({ a: 1 })))
      const chat = chatOf()
      for (const _ of [1, 2]) expect((await chat.ask(question)).value).toEqual({ a: 1 })
      const asked = server.requests.map(({ body }) => body.response_format !== undefined)
      expect(asked).toEqual([true, false, false])
    },
  )

  it('that refused another request is still asked with the schema', async () => {
    const chat = chatOf()
    server.behave(sending(400, {}))
    await failureOf(chat.ask(question))
    server.behave(answering({}))
    await chat.ask(question)
    expect(server.requests.at(-1)?.body.response_format).toBeDefined()
  })
})

const told = { error: { message: `you sent confidential evidence with ${secret}`, code: 'confidential' } }
const failures: [string, Behaviour, string, number | undefined][] = [
  ['never answers', never, 'timeout', undefined],
  ['stops in the middle', stalling, 'timeout', undefined],
  [
    'sends for ever, byte by byte',
    flooding(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5 }),
    'timeout',
    undefined,
  ],
  [
    'fails for ever, byte by byte',
    flooding(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5, status: 500 }),
    'unavailable',
    500,
  ],
  ['hangs up', hangingUp, 'unavailable', undefined],
  ['hangs up in the middle', hangingUpMidway, 'unavailable', undefined],
  ['is too busy', sending(429, told), 'rate_limited', 429],
  ['timed out itself', sending(408, told), 'unavailable', 408],
  ['is in conflict', sending(409, told), 'unavailable', 409],
  ['is broken', sending(500, told), 'unavailable', 500],
  ['is away', sending(503, 'confidential'), 'unavailable', 503],
  ['wants another key', sending(401, told), 'refused', 401],
  ['refuses the request', sending(400, told), 'refused', 400],
  ['is somewhere else', sending(307, told, { location: 'http://127.0.0.1:1/v1' }), 'refused', 307],
  ['says nothing', sending(200, ''), 'invalid_answer', undefined],
  [
    'speaks no JSON',
    sending(200, '<html>confidential</html>', { 'content-type': 'text/html' }),
    'invalid_answer',
    undefined,
  ],
  ['breaks its JSON', sending(200, '{"choices": confidential'), 'invalid_answer', undefined],
  ['answers null', sending(200, 'null'), 'invalid_answer', undefined],
  ['answers another thing', sending(200, { choices: 'confidential' }), 'invalid_answer', undefined],
  ['answers in prose', saying('confidential evidence'), 'invalid_answer', undefined],
  ['refuses in its own way', saying(null), 'invalid_answer', undefined],
  ['answers with parts', saying([{ type: 'text', text: '{}' }]), 'invalid_answer', undefined],
]

describe('a server that', () => {
  it.each(failures)(
    '%s fails for its reason, in no words but ours',
    async (_name, behaviour, reason, status) => {
      const printed = vi.spyOn(console, 'error')
      const [failure, elapsed] = await timed(failureOf(ask(behaviour)))
      expect([failure.reason, failure.status]).toEqual([reason, status])
      expect(elapsed).toBeLessThan(2_000)
      expect(failure.cause).toBeUndefined()
      const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)}`
      expect(shown).not.toMatch(/confidential|secret|evidence/)
      expect(printed).not.toHaveBeenCalled()
    },
  )

  it('is not there fails as unavailable', async () => {
    const failure = await failureOf(chatOf({ endpoint: 'http://127.0.0.1:1/v1' }).ask(question))
    expect([failure.reason, failure.isPassing]).toEqual(['unavailable', true])
  })

  it('sends a hundred megabytes is cut off after a few', async () => {
    let sent = 0
    const flood = flooding(100 * 1_024 * 1_024)
    const failure = await failureOf(
      ask(
        (response, seen) => {
          response.once('close', () => {
            sent = response.socket?.bytesWritten ?? 0
          })
          return flood(response, seen)
        },
        { timeoutMs: 10_000 },
      ),
    )
    expect(failure.reason).toBe('invalid_answer')
    await vi.waitFor(() => expect(sent).toBeGreaterThan(0))
    expect(sent).toBeLessThan(40 * 1_024 * 1_024)
  })
})

describe('what the environment says to the package', () => {
  it('reaches no request', async () => {
    const stranger = await startChatServer()
    const names = [
      'OPENAI_API_KEY',
      'OPENAI_ADMIN_KEY',
      'OPENAI_ORG_ID',
      'OPENAI_PROJECT_ID',
      'OPENAI_WEBHOOK_SECRET',
    ]
    for (const name of names) vi.stubEnv(name, 'from-the-environment')
    vi.stubEnv('OPENAI_BASE_URL', stranger.url)
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'X-Custom: from-the-environment\nAuthorization: from-the-environment')
    vi.stubEnv('OPENAI_LOG', 'debug')
    const printed = (['debug', 'info', 'warn', 'error', 'log'] as const).map((name) =>
      vi.spyOn(console, name),
    )
    server.behave(answering({ a: 1 }))
    await chatOf().ask(question)
    await chatOf({ apiKey: undefined }).ask(question)
    await stranger.close()
    expect(stranger.requests).toEqual([])
    const sent = JSON.stringify(server.requests.map(({ headers, text }) => [headers, text]))
    expect(sent).not.toContain('from-the-environment')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${secret}`,
      'Bearer none',
    ])
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
  })

  it('does not show through where it cannot be read', () => {
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'no header: from-the-environment')
    expect(() => chatOf()).toThrow('OPENAI_CUSTOM_HEADERS')
    expect(() => chatOf()).not.toThrow('from-the-environment')
  })
})

describe('patience', () => {
  it('asks again what may pass, and not what will not', async () => {
    expect((await ask(inTurn(sending(500, {}), answering({ a: 1 })), { retries: 1 })).value).toEqual({ a: 1 })
    server.requests.length = 0
    await failureOf(ask(sending(401, {}), { retries: 3 }))
    expect(server.requests).toHaveLength(1)
  })

  it('waits as long as it is told, in seconds or until a date', async () => {
    const date = new Date(clock.now().getTime() + 1_000).toUTCString()
    for (const after of ['1', date]) {
      const behaviour = inTurn(sending(429, {}, { 'retry-after': after }), answering({}))
      const [, elapsed] = await timed(ask(behaviour, { retries: 1 }))
      expect(elapsed).toBeGreaterThanOrEqual(500)
      expect(elapsed).toBeLessThan(2_500)
    }
  })

  it.each([
    ['1.5', 1_500],
    ['0', 0],
    ['', undefined],
    ['soon', undefined],
    ['-5', 0],
    ['Fri, 01 Jan 1999 00:00:00 GMT', 0],
  ])('reads Retry-After %j', async (after, milliseconds) => {
    const failure = await failureOf(ask(sending(429, {}, { 'retry-after': after })))
    expect(failure.retryAfterMs).toBe(milliseconds)
  })

  it('does not wait for what comes too late', async () => {
    for (const after of ['86400', '2']) {
      const waiting = ask(sending(429, {}, { 'retry-after': after }), { retries: 3, deadlineMs: 1_000 })
      const [failure, elapsed] = await timed(failureOf(waiting))
      expect(failure.reason).toBe('rate_limited')
      expect(elapsed).toBeLessThan(900)
    }
  })

  it('ends at the deadline, however many requests are left', async () => {
    const [failure, elapsed] = await timed(
      failureOf(ask(slowly(300, sending(500, {})), { retries: 100, deadlineMs: 1_300, timeoutMs: 1_000 })),
    )
    expect(failure.isPassing).toBe(true)
    expect(elapsed).toBeLessThan(1_800)
  })

  it('covers both requests when the first was refused for its schema', async () => {
    const behaviour = slowly(250, refusingSchemas(400, answering({})))
    const [failure, elapsed] = await timed(failureOf(ask(behaviour)))
    expect(failure.reason).toBe('timeout')
    expect(elapsed).toBeLessThan(1_000)
  })

  it('may be as long as a month', async () => {
    expect((await ask(answering({ a: 1 }), { timeoutMs: 30 * 86_400_000 })).value).toEqual({ a: 1 })
  })

  it('ends at once when nobody waits any more', async () => {
    const before = AbortSignal.abort(new Error('confidential'))
    expect((await failureOf(ask(never, { signal: before }))).reason).toBe('aborted')
    expect(server.requests).toEqual([])
    for (const behaviour of [never, stalling, sending(500, {})]) {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error('confidential')), 100)
      const asked = ask(behaviour, { signal: controller.signal, retries: 1, timeoutMs: 5_000 })
      const [failure, elapsed] = await timed(failureOf(asked))
      expect([failure.reason, failure.isPassing]).toEqual(['aborted', false])
      expect(elapsed).toBeLessThan(1_000)
    }
  })
})
