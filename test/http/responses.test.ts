import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { countNotes, createNotesRoutes, createNotesTable, type Hooks } from '../support/apps/notes-routes.ts'
import { startTestApp } from '../support/test-app.ts'

const hooks: Hooks = { now: async () => {} }
const api = await startTestApp({
  routes: createNotesRoutes(hooks),
  checks: { database: async () => {}, queue: async () => {} },
})
await createNotesTable(api.db)
afterAll(() => api.close())
beforeEach(() => {
  hooks.now = async () => {}
})

const unknown = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'
const linesOf = (requestId: string) =>
  api.log.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line))

describe('an HTTP answer', () => {
  it('contains the resource and its ETag', async () => {
    const created = await api.request('POST', '/v1/notes', { body: { text: 'a note' } })
    expect(created.status).toBe(201)
    expect(created.headers.get('etag')).toBe('"1"')
    const read = await api.request('GET', created.headers.get('location') ?? '')
    expect(read.body).toEqual(created.body)
  })

  it('carries headers against framing, sniffing and foreign content', async () => {
    for (const path of ['/livez', '/v1/notes/x', '/nowhere']) {
      const { headers } = await api.request('GET', path)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('x-powered-by')).toBeNull()
    }
  })

  it('has no body for HEAD', async () => {
    const { status, text } = await api.request('HEAD', '/livez')
    expect([status, text]).toEqual([200, ''])
  })
})

describe('a problem document', () => {
  it('contains its type, request id and status', async () => {
    const { status, headers, body } = await api.request('GET', `/v1/notes/${unknown}`)
    expect(status).toBe(404)
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(body).toEqual({
      type: 'urn:membrane:problem:record_not_found',
      title: 'The key can see no record with this id. A hidden record gets the same answer.',
      status: 404,
      detail: 'There is no such note.',
      code: 'record_not_found',
      request_id: headers.get('x-request-id'),
    })
  })

  it('keeps its standard members when an error adds others of the same names', async () => {
    hooks.now = async () => {
      throw new AppError('internal_error', 'Real.', { extra: { status: 200, code: 'fake', more: 'kept' } })
    }
    const { status, body } = await api.request('GET', '/v1/failure')
    expect(status).toBe(500)
    expect(body).toMatchObject({ status: 500, code: 'internal_error', more: 'kept' })
  })

  it('lists the allowed methods of a path', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers, body } = await api.request(method, '/v1/notes', { key: false })
      expect(status).toBe(405)
      expect(headers.get('allow')).toBe('POST')
      expect(body).toMatchObject({ code: 'method_not_allowed' })
    }
    const { headers } = await api.request('POST', `/v1/notes/${unknown}`)
    expect(headers.get('allow')).toBe('DELETE, GET, HEAD')
  })

  it('refuses a method before it reads the body', async () => {
    const { status } = await api.request('PUT', '/v1/notes', { body: '{broken', key: false })
    expect(status).toBe(405)
  })

  it('says what is wrong with an id in the path', async () => {
    const answer = await api.request('GET', '/v1/notes/not-a-uuid')
    expect(answer.body).toMatchObject({ detail: 'The id in the path must be a UUID.' })
  })

  it.each([
    ['/nowhere', 404, 'route_not_found'],
    ['/v1/notes/not-a-uuid', 404, 'record_not_found'],
    ['/v1/notes/%00', 404, 'record_not_found'],
    ['/v1/notes/%FF', 400, 'malformed_request'],
    ['/v1/failure?q=%zz', 400, 'malformed_request'],
    ['/v1/failure?q=100%', 400, 'malformed_request'],
    ['/v1/failure?q=%C3%A9&q=%E9', 400, 'malformed_request'],
    ['/livez?%', 400, 'malformed_request'],
    [`/v1/notes/${'x'.repeat(4_000)}`, 404, 'route_not_found'],
    ['/v1/failure?q=1', 422, 'validation_failed'],
  ])('answers GET %s with %i %s', async (path, status, code) => {
    const answer = await api.request('GET', path)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ code, request_id: answer.headers.get('x-request-id') })
  })
})

describe('an unexpected error', () => {
  const secret = 'the-content-of-a-memory'

  it.each<[string, () => Promise<unknown>]>([
    ['an exception', async () => Promise.reject(new TypeError('no such property'))],
    ['an SQL error that quotes a value', async () => api.database.pool.query(`select '${secret}'::uuid`)],
    [
      'a missing table of a migrated database',
      async () => api.database.pool.query('select from no_such_table'),
    ],
    ['a JSON error that quotes the text', async () => JSON.parse(`{"${secret}`)],
    ['something that is no error', async () => Promise.reject({ secret })],
  ])('answers a plain 500 and logs one line: %s', async (_name, fail) => {
    hooks.now = async () => void (await fail())
    const { status, body, text, headers } = await api.request('GET', '/v1/failure')
    expect(status).toBe(500)
    expect(body).toMatchObject({
      code: 'internal_error',
      detail: 'The server failed; the log has the details.',
    })
    expect(text).not.toMatch(/uuid|select|property|no_such|at .*\.ts|the-content/)
    const lines = linesOf(headers.get('x-request-id') ?? '')
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain(secret)
  })

  it('is logged with its type, message and stack', async () => {
    hooks.now = async () => Promise.reject(new TypeError('no such property'))
    const { headers } = await api.request('GET', '/v1/failure')
    const [line] = linesOf(headers.get('x-request-id') ?? '')
    expect(line.err).toMatchObject({ type: 'TypeError', message: 'no such property' })
    expect(line.err.stack).toContain('responses.test.ts')
  })

  it('is distinguished from a database outage, which answers 503 with Retry-After', async () => {
    hooks.now = async () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
    const { status, headers, body } = await api.request('GET', '/v1/failure')
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body).toMatchObject({ code: 'database_unavailable' })
  })

  it('is raised by a mutation that does not use once()', async () => {
    expect((await api.request('POST', '/v1/forgetful')).status).toBe(500)
  })
})

describe('X-Request-Id', () => {
  it('is taken from the client when it is harmless, and appears in the answer, the problem and the log', async () => {
    const { headers, body } = await api.request('GET', '/nowhere', { headers: { 'x-request-id': 'trip-42' } })
    expect(headers.get('x-request-id')).toBe('trip-42')
    expect(body).toMatchObject({ request_id: 'trip-42' })
    expect(linesOf('trip-42')).toHaveLength(1)
  })

  it('is generated when it is missing or could forge a log line', async () => {
    for (const input of ['', 'a b', `x${'y'.repeat(128)}`]) {
      const { headers } = await api.request('GET', '/livez', { headers: { 'x-request-id': input } })
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it('is logged together with the trace id', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    await api.request('GET', '/livez', {
      headers: { 'x-request-id': 'traced', traceparent: `00-${trace}-b7ad6b7169203331-01` },
    })
    expect(linesOf('traced')[0]).toMatchObject({ trace_id: trace })
  })
})

describe('a log line of a request', () => {
  it('contains the route, and no URL, body or key', async () => {
    const headers = { 'x-request-id': 'quiet' }
    await api.request('POST', '/v1/notes', { body: { text: 'whispered' }, headers })
    await api.request('GET', '/v1/notes/x?q=whispered', { headers })
    await api.request('GET', '/whispered', { headers, key: 'a-whispered-key' })
    const lines = linesOf('quiet')
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['POST', '/v1/notes', 201],
      ['GET', '/v1/notes/:id', 404],
      ['GET', 'none', 404],
    ])
    expect(lines[0]).toMatchObject({ level: 'info', principal: 'root', ms: expect.any(Number) })
    expect(JSON.stringify(lines)).not.toMatch(/whispered|root-key/)
    // In the same order as in a line of a worker.
    expect(Object.keys(lines[0] ?? {}).slice(0, 4)).toEqual(['level', 'time', 'pid', 'request_id'])
  })
})

describe('If-Match', () => {
  const create = async () =>
    (await api.request('POST', '/v1/notes', { body: { text: 'x' } })).headers.get('location') ?? ''

  it('refuses a change when the record changed since', async () => {
    const path = await create()
    const stale = await api.request('DELETE', path, { headers: { 'if-match': '"2"' } })
    expect(stale.status).toBe(412)
    expect((await api.request('DELETE', path, { headers: { 'if-match': '"1"' } })).status).toBe(204)
  })

  it('never matches a weak ETag', async () => {
    const path = await create()
    expect((await api.request('DELETE', path, { headers: { 'if-match': 'W/"1"' } })).status).toBe(412)
    expect((await api.request('DELETE', path, { headers: { 'if-match': '*' } })).status).toBe(204)
  })

  it('is refused when it is not a list of ETags', async () => {
    const path = await create()
    const answer = await api.request('DELETE', path, { headers: { 'if-match': '1' } })
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_request' } })
  })

  it('is optional unless the server requires it', async () => {
    expect((await api.request('DELETE', await create())).status).toBe(204)
    const strict = await startTestApp({
      routes: createNotesRoutes(hooks),
      variables: { MEMBRANE_REQUIRE_IF_MATCH: 'true' },
    })
    await createNotesTable(strict.db)
    const refused = await strict.request('DELETE', `/v1/notes/${unknown}`)
    expect(refused.status).toBe(428)
    expect(refused.body).toMatchObject({ code: 'if_match_required' })
    // A create has nothing to match.
    expect((await strict.request('POST', '/v1/notes', { body: { text: 'x' } })).status).toBe(201)
    await strict.close()
  })
})

it('a rolled-back request answers with an error', async () => {
  const before = await countNotes(api.db)
  hooks.now = async () => Promise.reject(new Error('after the write'))
  const headers = { 'idempotency-key': 'rolled-back' }
  expect((await api.request('POST', '/v1/notes', { body: { text: 'x' }, headers })).status).toBe(500)
  expect(await countNotes(api.db)).toBe(before)
})
