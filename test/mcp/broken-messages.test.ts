import { request as httpRequest } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { connectClient, connectEarlierClient, failTool } from '../support/http/mcp-clients.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Node's client sends no Accept of its own. */
async function send(body: string, accept?: string): Promise<{ status: number; body: Body }> {
  const headers = { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Body }>()
  const sent = httpRequest(
    `${app.url}/mcp`,
    { method: 'POST', headers: { ...headers, ...(accept === undefined ? {} : { accept }) } },
    async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      const json = /^data: (.*)$/m.exec(text)?.[1] ?? text
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(json) })
    },
  )
  sent.on('error', reject).end(body)
  return promise
}

const message = (method: string, params?: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"${method}"${params === undefined ? '' : `,"params":${params}`}}`
const remember = (args: string) => message('tools/call', `{"name":"remember","arguments":${args}}`)
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

it('answers arguments that cannot be stored as an error of the tool, naming the place', async () => {
  const cases = [
    [JSON.stringify({ text: 'x'.repeat(100_001) }), '/text must have at most'],
    ['{"text":"a\\u0000b"}', '/text must not contain a NUL'],
    ['{"text":"a\\ud800b"}', '/text must be well-formed Unicode'],
    ['{"text":12345678901234567890}', '/text is too large to be stored exactly'],
    ['{"text":"x","record":{"payload":{"n":1e400}}}', '/record/payload/n is too large'],
    ['{"text":"x","__proto__":{}}', '/ has a field __proto__'],
    [`{"text":"x","record":${deep(5_000)}}`, 'levels deep'],
  ] as const
  for (const [args, place] of cases) {
    const { status, body } = await send(remember(args))
    expect(status, place).toBe(200)
    expect(body).toMatchObject({ id: 7, result: { isError: true } })
    const error = JSON.parse(body.result.content[0].text)
    expect(error).toMatchObject({ code: 'validation_failed', what: expect.stringContaining(place) })
  }
  for (const connect of [connectClient, connectEarlierClient]) {
    const error = await failTool((await connect(app)) as never, 'remember', { text: 'a\0b' })
    expect(error.what).toContain('/text must not contain a NUL')
  }
})

it('answers any other value that cannot be stored as an error of the message', async () => {
  const cases = [
    [remember('{"text":12345678901234567890}').replace('"id":7', '"id":12345678901234567890'), null],
    [message('tools/call', '{"name":"remember\\u0000","arguments":{"text":"\\u0000"}}'), 7],
    [message('tools/call', `{"name":"remember","_meta":${deep(5_000)},"arguments":{"text":1e400}}`), 7],
    [message('resources/read', '{"uri":"memory://record/\\ud800"}'), 7],
    [message('tools/list').replace('"id":7', `"id":${deep(5_000)}`), null],
    [message('initialize').replace('"id":7', '"id":{"a":7}'), null],
  ] as const
  for (const [body, id] of cases)
    expect(await send(body)).toMatchObject({
      status: 400,
      body: { jsonrpc: '2.0', id, error: { code: -32_602 } },
    })
})

it('names what is missing in a message', async () => {
  const cases = [
    [message('initialize'), '/protocolVersion is required'],
    [
      message('initialize', '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{}}'),
      '/clientInfo/name',
    ],
    [message('resources/read'), '/uri is required'],
    [message('tools/call', '{}'), '/name is required'],
    [message('tools/call', '[]'), '/ must be an object'],
  ] as const
  for (const [body, place] of cases) {
    const answer = await send(body)
    expect(answer).toMatchObject({ status: 400, body: { id: 7, error: { code: -32_602 } } })
    expect(answer.body.error.message).toContain(place)
  }
})

it('serves a client that accepts any type, and refuses one that accepts only one of the two', async () => {
  for (const accept of [undefined, '*/*', 'text/plain, */*;q=0.1'])
    expect(await send(message('tools/list'), accept)).toMatchObject({ status: 200, body: { id: 7 } })
  expect((await send(message('tools/list'), 'application/json')).status).toBe(406)
})

it('describes itself under its own names only', async () => {
  const url = '/.well-known/oauth-protected-resource/mcp'
  const ask = (host: string, origin?: string) =>
    app.app.inject({ method: 'GET', url, headers: { host, ...(origin === undefined ? {} : { origin }) } })
  expect((await ask('attacker.example')).statusCode).toBe(403)
  const { statusCode, body } = await ask('localhost:80', 'https://pages.example')
  expect([statusCode, JSON.parse(body).resource]).toEqual([200, 'http://localhost:80/mcp'])
})

it('refuses a message with thousands of fields at once, and tells which arguments are unknown', async () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}`, i]))
  const params = { name: 'recall', arguments: { query: 'x' } }
  const cases = [
    message('tools/call', JSON.stringify({ ...params, ...many(5_000) })),
    message('tools/call', JSON.stringify({ ...params, _meta: many(5_000) })),
    message('tools/list', JSON.stringify({ _meta: { a: { b: many(5_000) } } })),
    JSON.stringify({ ...JSON.parse(message('ping')), ...many(5_000) }),
  ]
  for (const sent of cases) {
    const { status, body } = await send(sent)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      id: 7,
      error: { code: -32_600, message: expect.stringContaining('at most 1000') },
    })
  }
  const { status, body } = await send(
    message('tools/call', JSON.stringify({ ...params, arguments: many(5_000) })),
  )
  expect([status, body.result.isError]).toEqual([200, true])
  expect(body.result.content[0].text).toContain('/u0')
  expect((await send(message('tools/list', JSON.stringify({ _meta: many(900) })))).status).toBe(200)
})
