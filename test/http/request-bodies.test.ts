import { once as happens } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { createNotesRoutes, createNotesTable } from '../support/apps/notes-routes.ts'
import { sendChunks } from '../support/http/send-chunks.ts'
import { startTestApp } from '../support/test-app.ts'

const api = await startTestApp({
  routes: createNotesRoutes({ now: async () => {} }),
})
await createNotesTable(api.db)
afterAll(() => api.close())

const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  api.request('POST', '/v1/notes', { body, headers })
const bytes = (...values: number[]) => new Uint8Array(values)

/** Like `sendChunks`, but reads nothing before everything is written. */
async function sendBeforeReading(...chunks: string[]): Promise<string> {
  const { port, hostname } = new URL(api.url)
  const socket = connectSocket(Number(port), hostname)
  const answered = new Promise<void>((resolve) => {
    socket.on('error', () => resolve())
    for (const chunk of chunks.slice(0, -1)) socket.write(chunk)
    socket.write(chunks.at(-1) ?? '', () => resolve())
  })
  socket.pause()
  await answered
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  socket.resume()
  if (!socket.closed) await happens(socket, 'close')
  return Buffer.concat(heard).toString()
}

/** Returns the first answer to a request whose body never ends. */
async function untilAnswered(head: string): Promise<string> {
  const { port, hostname } = new URL(api.url)
  const socket = connectSocket(Number(port), hostname)
  socket.write(head)
  const [answer] = await happens(socket, 'data')
  socket.destroy()
  return String(answer)
}

const problemIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

describe('a request body', () => {
  it.each([
    ['broken JSON', '{"text":', 'malformed_json'],
    ['nothing', '', 'malformed_json'],
    ['white space', '   ', 'malformed_json'],
    ['two values', '{}{}', 'malformed_json'],
    ['a trailing comma', '{"text":"x",}', 'malformed_json'],
    ['NaN', '{"text":NaN}', 'malformed_json'],
    ['a byte order mark', '\ufeff{"text":"x"}', 'malformed_json'],
  ])('with %s answers 400', async (_name, body, code) => {
    const answer = await post(body, { 'content-type': 'application/json' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code })
    // The message of the parser would quote the body.
    expect(answer.body).toMatchObject({
      detail: expect.stringMatching(/^(The body is not valid JSON|This operation needs)/),
    })
  })

  it.each([
    ["{'text':'x'}", ' at character 2'],
    ['{"text":"x",}', ' at character 13'],
    ['{"text": secret}', ''],
  ])('that is not JSON says where: %s', async (body, place) => {
    const answer = await post(body, { 'content-type': 'application/json' })
    expect(answer.body).toMatchObject({ detail: `The body is not valid JSON${place}.` })
  })

  it('with invalid UTF-8 answers 400 and is not stored with replacement characters', async () => {
    const answer = await post(bytes(0x7b, 0x22, 0x74, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d), {
      'content-type': 'application/json',
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ detail: 'The body is not valid UTF-8.' })
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ])('can be sent as %s', async (type) =>
    expect((await post('{"text":"x"}', { 'content-type': type })).status).toBe(201),
  )

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['multipart/form-data; boundary=x', {}],
    ['application/jsonx', {}],
    ['nonsense', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('cannot be sent as %s %j', async (type, headers) => {
    const answer = await post('{"text":"x"}', { 'content-type': type, ...headers })
    expect(answer.status).toBe(415)
    const detail = expect.stringMatching(/: application\/json|without Content-Encoding/)
    expect(answer.body).toMatchObject({ code: 'unsupported_media_type', detail })
  })

  it.each([
    ['a NUL', '{"text":"a\\u0000"}', '/text'],
    ['a lone surrogate', '{"text":"\\ud800"}', '/text'],
    ['__proto__', '{"text":"x","__proto__":{}}', ''],
    ['100,001 characters', JSON.stringify({ text: 'x'.repeat(100_001) }), '/text'],
    ['101 levels', `{"text":${'['.repeat(100)}${']'.repeat(100)}}`, `/text${'/0'.repeat(99)}`],
  ])('with %s answers 422 with a pointer', async (_name, body, pointer) => {
    const answer = await post(body, { 'content-type': 'application/json' })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] })
  })

  it('with several faults lists all of them', async () => {
    const { body } = await api.request('POST', '/v1/notes', { body: { text: '', tags: 'x', extra: 1 } })
    expect(body).toMatchObject({
      errors: [
        { pointer: '/text', message: 'must not be empty' },
        { pointer: '/tags', message: 'must be an array' },
        { pointer: '/extra', message: 'unknown field; known: text, tags' },
      ],
    })
  })

  it('of null is a fault and not a missing body', async () => {
    const answer = await post('null', { 'content-type': 'application/json' })
    expect([answer.status, answer.body]).toEqual([
      422,
      expect.objectContaining({ code: 'validation_failed' }),
    ])
  })

  it('can be omitted when every field is optional', async () => {
    const id = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'
    expect((await api.request('POST', `/v1/notes/${id}/nudge`)).body).toEqual({})
    expect((await api.request('POST', `/v1/notes/${id}/nudge`, { body: { reason: 'x' } })).body).toEqual({
      reason: 'x',
    })
  })

  it('is refused when the operation takes none', async () => {
    const path = (await post('{"text":"x"}')).headers.get('location') ?? ''
    const answer = await api.request('DELETE', path, { body: { force: true } })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/force', message: 'unknown field' }] })
    expect((await api.request('DELETE', path, { body: {} })).status).toBe(204)
  })

  it('of 10 MiB is accepted, and one byte more answers 413', async () => {
    const filler = (size: number) => {
      const items = `${' '.repeat(size - 12)}`
      return `{"text":"x"${items}}`
    }
    const limit = 10 * 1024 * 1024
    expect(filler(limit)).toHaveLength(limit)
    expect((await post(filler(limit))).status).toBe(201)
    const answer = await post(filler(limit + 1))
    expect(answer.status).toBe(413)
    expect(answer.body).toMatchObject({ code: 'body_too_large' })
  })

  it('that streams past the limit is cut off, with any declared length', async () => {
    const head = `POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root-key-of-the-tests\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    const answer = await sendChunks(api.url, head, ...Array(12).fill(chunk))
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('with many faults answers with the first hundred', async () => {
    const tags = JSON.stringify(Array(240_000).fill(1))
    const answer = await post(`{"text":"x","tags":${tags}}`)
    expect(answer.status).toBe(422)
    expect((answer.body as { errors: unknown[] }).errors).toHaveLength(100)
    expect(answer.text.length).toBeLessThan(20_000)
  })

  it('with too many fields or items is refused before it is parsed', async () => {
    const fields = `{${Array.from({ length: 300_000 }, (_, each) => `"k${each}":1`).join(',')}`
    const items = `[${'1,'.repeat(300_000)}`
    for (const body of [fields, items]) {
      const answer = await post(body, { 'content-type': 'application/json' })
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({
        errors: [{ pointer: '', message: 'must have at most 250000 fields and items' }],
      })
    }
  })

  it('that is too large answers 413 to a client that reads only after sending everything', async () => {
    const size = 12 * 1024 * 1024
    const head = `POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer root-key-of-the-tests\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`
    const body = Array(12).fill(' '.repeat(0x100000))
    const answers = await Promise.all(Array.from({ length: 3 }, () => sendBeforeReading(head, ...body)))
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(Array(3).fill('HTTP/1.1 413'))
  })

  it.each([
    ['a list', 'GET /v1/records', 'Bearer root-key-of-the-tests', 200],
    ['an export', 'GET /v1/export', 'Bearer root-key-of-the-tests', 200],
    ['a path without a route', 'GET /v1/nowhere', 'Bearer root-key-of-the-tests', 404],
    ['a path that is not encoded', 'GET /v1/records/%zz', 'Bearer root-key-of-the-tests', 400],
    ['a deletion', 'DELETE /v1/records/%zz', 'Bearer root-key-of-the-tests', 400],
    ['a caller without a key', 'POST /v1/notes', 'Bearer nobody', 401],
    ['an import that is refused', 'POST /v1/import', 'Bearer root-key-of-the-tests', 415],
  ])('that nobody reads, sent to %s, does not cost the answer', async (_, line, authorization, status) => {
    const head = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    const answer = await sendBeforeReading(head, ...Array(10).fill(chunk), '0\r\n\r\n')
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
  })

  it('that does not end and is not read closes the connection after the answer', async () => {
    const answer = await sendChunks(
      api.url,
      'GET /v1/records HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root-key-of-the-tests\r\n',
      'Content-Length: 100\r\n\r\nbegin',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  })

  it('is not awaited when the path is unknown', async () => {
    for (const authorization of ['Bearer root-key-of-the-tests', 'Bearer nobody']) {
      const head = `POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`
      expect(problemIn(await untilAnswered(head))).toMatchObject({ status: 404, code: 'route_not_found' })
    }
    for (const body of ['{broken', '{"a":1}', '[1e999]']) {
      const answer = await api.request('POST', '/v1/nowhere', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(answer.status).toBe(404)
    }
  })

  it('is not read for a caller without a key', async () => {
    const answer = await api.request('POST', '/v1/notes', { body: '{broken', key: false })
    expect(answer.status).toBe(401)
  })
})
