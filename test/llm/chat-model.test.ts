import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { catchModelFailure, question, secret, startChatModel } from '../support/models/chat-model.ts'
import {
  refuseSchemas,
  respond,
  respondWithContent,
  respondWithJson,
  startChatServer,
} from '../support/models/chat-server.ts'

const asking = await startChatModel()
afterAll(() => asking.server.close())
beforeEach(() => {
  asking.server.requests.length = 0
})
afterEach(() => void vi.unstubAllEnvs())

describe('a chat model', () => {
  it('returns JSON and the number of tokens', async () => {
    expect(await asking.ask(respondWithJson({ a: 1 }))).toEqual({
      value: { a: 1 },
      length: 7,
      promptTokens: 70,
      completionTokens: 5,
    })
  })

  it('sends the model name, the schema, and nothing about this machine', async () => {
    await asking.ask(respondWithJson({ a: 1 }))
    const [seen] = asking.server.requests
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
    'is called at an endpoint ending in %j',
    async (end) => {
      asking.server.behave(respondWithJson({}))
      await asking.chatOf({ endpoint: `${asking.server.url}${end}` }).ask(question)
      expect(asking.server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
    },
  )

  it.each([
    ['prose around its answer', respondWithContent('Sure! ```json\n{"a": 1}\n``` Anything else?')],
    ['no word of what it cost', respondWithContent('{"a": 1}', null)],
    [
      'nonsense for what it cost',
      respondWithContent('{"a": 1}', { prompt_tokens: '70', completion_tokens: -5 }),
    ],
  ])('accepts an answer with %s', async (_name, behaviour) => {
    expect(await asking.ask(behaviour)).toMatchObject({ value: { a: 1 } })
  })

  it('counts no tokens where the server makes up their number', async () => {
    const madeUp = { prompt_tokens: Number.MAX_SAFE_INTEGER, completion_tokens: 1e9 + 1 }
    const answer = await asking.ask(respondWithContent('{"a": 1}', madeUp))
    expect(answer).toMatchObject({ promptTokens: 0, completionTokens: 0 })
  })

  it.each([400, 404, 415, 422, 501])(
    'that refuses schemas with %i is called without from then on',
    async (status) => {
      asking.server.behave(refuseSchemas(status, respondWithJson({ a: 1 })))
      const chat = asking.chatOf()
      for (const _ of [1, 2]) expect((await chat.ask(question)).value).toEqual({ a: 1 })
      const formatUses = asking.server.requests.map(({ body }) => body.response_format !== undefined)
      expect(formatUses).toEqual([true, false, false])
    },
  )

  it('that refused a request for another reason is still called with the schema', async () => {
    const chat = asking.chatOf()
    asking.server.behave(respond(400, {}))
    await catchModelFailure(chat.ask(question))
    asking.server.behave(respondWithJson({}))
    await chat.ask(question)
    expect(asking.server.requests.at(-1)?.body.response_format).toBeDefined()
  })
})

describe('the environment variables of the openai package', () => {
  it('affect no request', async () => {
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
    asking.server.behave(respondWithJson({ a: 1 }))
    await asking.chatOf().ask(question)
    await asking.chatOf({ apiKey: undefined }).ask(question)
    await stranger.close()
    expect(stranger.requests).toEqual([])
    const sent = JSON.stringify(asking.server.requests.map(({ headers, text }) => [headers, text]))
    expect(sent).not.toContain('from-the-environment')
    expect(asking.server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${secret}`,
      'Bearer none',
    ])
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
  })

  it('are not revealed when they are invalid', async () => {
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'no header: from-the-environment')
    const failure = await catchModelFailure(asking.chatOf().ask(question))
    expect(failure.reason).toBe('misconfigured')
    expect(failure.message).not.toContain('from-the-environment')
  })
})
