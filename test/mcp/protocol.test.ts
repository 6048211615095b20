import { afterAll, expect, it } from 'vitest'
import { callTool, connectClient, connectEarlierClient } from '../support/http/mcp-clients.ts'
import { type Body, create, expectProblem, fact, pointersOf } from '../support/requests/record-requests.ts'
import { type RequestOptions, rootKey, startTestApp, type TestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_PUBLIC_URL: 'https://memory.example' } })
afterAll(() => app.close())

const accept = 'application/json, text/event-stream'
const message = (method: string) => ({ jsonrpc: '2.0', id: 7, method, params: {} })
const post = (body: unknown, { headers, ...more }: RequestOptions = {}, query = '') =>
  app.request('POST', `/mcp${query}`, { ...more, body, headers: { accept, ...headers } })
const inject = (headers: Record<string, string>, key?: string) =>
  app.app.inject({
    method: 'POST',
    url: '/mcp',
    payload: message('ping'),
    headers: { accept, host: 'localhost', ...headers, ...(key ? { authorization: `Bearer ${key}` } : {}) },
  })

/** For answers that are errors of JSON-RPC and not problems. */
async function sendRaw(body: unknown, { url }: TestApp = app) {
  const headers = { accept, authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Body }
}

const coreTools = ['recall', 'remember', 'get', 'revise', 'reinforce', 'explain', 'recent']
const lifecycleTools = ['promote', 'demote', 'pin', 'unpin', 'forget', 'restore', 'run']

it('lists the same tools in the same order to clients of 2026 and of 2025', async () => {
  for (const profile of [undefined, 'lifecycle', 'openai', 'openai,lifecycle']) {
    const options = profile === undefined ? {} : { profile }
    const { tools } = await (await connectClient(app, options)).listTools()
    const earlier = await (await connectEarlierClient(app, options)).listTools()
    expect(earlier.tools).toEqual(tools)
    expect(tools.map(({ name }) => name)).toEqual([
      ...coreTools,
      ...(profile?.includes('lifecycle') ? lifecycleTools : []),
      ...(profile?.includes('openai') ? ['search', 'fetch'] : []),
    ])
  }
})

it('spends at most 2,500 tokens on the list of core tools, and says of each what it does', async () => {
  // As it is sent, since a client may leave out what it does not know.
  const { result } = (await sendRaw(message('tools/list'))).body
  expect(result.tools.map(({ name }: Body) => name)).toEqual(coreTools)
  expect(Buffer.byteLength(JSON.stringify(result.tools))).toBeLessThanOrEqual(10_000)
  const { tools } = await (await connectClient(app, { profile: 'lifecycle,openai' })).listTools()
  for (const { name, inputSchema, outputSchema } of tools) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(outputSchema?.['type']).toBe(['search', 'fetch'].includes(name) ? undefined : 'object')
  }
  const named = (member: 'readOnlyHint' | 'destructiveHint' | 'idempotentHint', value: boolean) =>
    tools.filter(({ annotations }) => annotations?.[member] === value).map(({ name }) => name)
  expect(named('readOnlyHint', true)).toEqual(['recall', 'get', 'explain', 'recent', 'search', 'fetch'])
  expect(named('destructiveHint', true)).toEqual(['forget', 'run'])
  expect(named('idempotentHint', true)).toEqual(['remember', 'pin', 'unpin'])
  expect(tools.filter(({ annotations }) => annotations?.openWorldHint !== false)).toEqual([])
})

it('says of each enum in a schema that it is a string', async () => {
  const { tools } = await (await connectClient(app, { profile: 'lifecycle,openai' })).listTools()
  const enums: Body[] = []
  JSON.stringify(tools, (_name, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'enum' in value) enums.push(value)
    return value
  })
  expect(enums.length).toBeGreaterThan(6)
  expect(enums.filter(({ type }) => type !== 'string')).toEqual([])
})

it('asks every method for a key, and says where its metadata are', async () => {
  const url = 'https://memory.example/.well-known/oauth-protected-resource/mcp'
  for (const method of ['POST', 'GET', 'DELETE', 'PUT']) {
    const body = method === 'POST' ? { body: message('initialize') } : {}
    for (const key of [false, 'mk_unknown_and_long_enough'] as const) {
      const answer = await app.request(method, '/mcp', { ...body, key })
      expectProblem(answer, 401, 'unauthenticated')
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}"`)
    }
  }
  const metadata = await app.request('GET', new URL(url).pathname, { key: false })
  expect(metadata).toMatchObject({
    status: 200,
    body: { resource: 'https://memory.example/mcp', bearer_methods_supported: ['header'] },
  })
  const record = await app.request('GET', '/v1/records', { key: false })
  expect(record.headers.get('www-authenticate')).toBe('Bearer realm="membrane"')
})

it('serves POST only', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const answer = await app.request(method, '/mcp')
    expectProblem(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toBe('POST')
  }
})

it('serves its own names and its own pages only, with and without a key', async () => {
  const statusOf = async (headers: Record<string, string>, key?: string) =>
    (await inject(headers, key)).statusCode
  for (const key of [rootKey, undefined]) {
    const admitted = key ? 200 : 401
    expect(await statusOf({}, key)).toBe(admitted)
    expect(await statusOf({ host: '127.0.0.1:9' }, key)).toBe(admitted)
    expect(await statusOf({ host: 'memory.example' }, key)).toBe(admitted)
    expect(await statusOf({ origin: 'http://localhost' }, key)).toBe(admitted)
    expect(await statusOf({ host: 'memory.example', origin: 'https://memory.example' }, key)).toBe(admitted)
    for (const host of ['attacker.example', 'localhost.attacker.example', 'localhost@attacker.example'])
      expect(await statusOf({ host }, key)).toBe(403)
    for (const origin of [
      'null',
      'https://attacker.example',
      'http://localhost:3000',
      'http://memory.example',
    ])
      expect(await statusOf({ origin }, key)).toBe(403)
  }
})

it('answers a request id and rate headers, and counts each message once', async () => {
  const limited = await startTestApp({ variables: { MEMBRANE_RATE_LIMIT: '5' } })
  const send = (body: unknown) =>
    limited.request('POST', '/mcp', { body, headers: { accept, 'x-request-id': 'r-1' } })
  const first = await send(message('tools/list'))
  expect(first.status).toBe(200)
  expect(first.headers.get('x-request-id')).toBe('r-1')
  expect(first.headers.get('ratelimit-remaining')).toBe('4')
  expect(first.headers.get('mcp-session-id')).toBeNull()
  const batch = await sendRaw([message('tools/list'), message('tools/list')], limited)
  expect(batch).toMatchObject({ status: 400, body: { error: { code: -32_600 } } })
  for (const _ of [1, 2, 3]) await send(message('tools/list'))
  expectProblem(await send(message('tools/list')), 429, 'rate_limited')
  await limited.close()
})

it('refuses unknown profiles, parameters and methods, and streams without an end', async () => {
  for (const query of ['?profile=all', '?profile=core,', '?profile=core,x'])
    expect(pointersOf(await post(message('tools/list'), {}, query))).toEqual(['?profile'])
  expect(pointersOf(await post(message('tools/list'), {}, '?profiles=core'))).toEqual(['?profiles'])
  expect(await sendRaw(message('subscriptions/listen'))).toMatchObject({
    status: 404,
    body: { id: 7, error: { code: -32_601 } },
  })
  expect((await post(message('tools/nothing'))).text).toContain('-32601')
  expectProblem(await post('{'), 400, 'malformed_json')
  for (const body of [{}, { jsonrpc: '2.0' }, { method: 1 }, null, 'text', 5])
    expect((await sendRaw(body)).status).toBe(400)
})

it('reads a record as a resource, and answers alike whatever does not exist for the key', async () => {
  const record = await create(app, fact({ scope: 'resources' }))
  const hidden = await create(app, fact({ scope: 'elsewhere' }))
  const forgotten = await create(app, fact({ scope: 'resources' }))
  await app.request('DELETE', `/v1/records/${forgotten.id}?actor=a&rationale=b`)
  const key = await app.issueKey(['records:read'], { scopes: ['resources'] })
  for (const connect of [connectClient, connectEarlierClient]) {
    const client = await connect(app, { key })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['memory://record/{id}'])
    expect((await client.listResources()).resources).toEqual([])
    const { contents } = await client.readResource({ uri: `memory://record/${record.id}` })
    expect(JSON.parse((contents[0] as Body).text)).toMatchObject({ id: record.id, payload: record.payload })
    const failures = await Promise.all(
      [hidden.id, forgotten.id, 'no-id', '0197b9a0-0000-7000-8000-000000000001'].map((id) =>
        client
          .readResource({ uri: `memory://record/${id}` })
          .then(String, (error: Body) => [error.code, error.message]),
      ),
    )
    expect(new Set(failures.map((each) => JSON.stringify(each))).size).toBe(1)
  }
})

it('says that it failed, and not that a record is missing, if a resource cannot be read', async () => {
  const { id } = await create(app, fact({}))
  const client = await connectClient(app)
  const read = () => client.readResource({ uri: `memory://record/${id}` })
  await app.database.pool.query('alter table contents rename to contents_elsewhere')
  const failure = await read().catch((error: Body) => error)
  await app.database.pool.query('alter table contents_elsewhere rename to contents')
  expect(failure).toMatchObject({
    code: -32_603,
    message: expect.stringContaining('the log has the details'),
  })
  expect((await read()).contents).toHaveLength(1)
})

it('names the key and the client in the audit log, without characters that deceive', async () => {
  const key = await app.issueKey(['records:write', 'records:read'], { name: 'agent-7' })
  const actorOf = async (name: string) => {
    const client = await connectClient(app, { key, name })
    const { id } = await callTool(client, 'remember', { text: `said by ${name}` })
    const { record } = await callTool(client, 'get', { id })
    return record.audit_log[0]
  }
  expect(await actorOf('planner')).toMatchObject({ actor: 'agent-7/planner', via: { key_name: 'agent-7' } })
  expect((await actorOf('a\u202Eb\u0007\nc')).actor).toBe('agent-7/abc')
  expect((await actorOf('x'.repeat(500))).actor).toBe(`agent-7/${'x'.repeat(64)}`)
  const earlier = await connectEarlierClient(app, { key })
  const { structuredContent } = (await earlier.callTool({
    name: 'remember',
    arguments: { text: 'old' },
  })) as Body
  const { body } = await app.request('GET', `/v1/records/${structuredContent.id}`)
  expect((body as Body).audit_log[0].actor).toBe('agent-7')
})

it('runs a tool once for an Idempotency-Key, whatever the id of the message', async () => {
  const call = (id: number, text: string) =>
    post(
      {
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'remember', arguments: { record: noteOf(text) } },
      },
      { headers: { 'idempotency-key': 'once-1' } },
    )
  const first = await call(1, 'a')
  const again = await call(2, 'a')
  const other = await call(3, 'b')
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(resultOf(again)).toEqual(resultOf(first))
  expect(JSON.parse(resultOf(other).content[0].text).code).toBe('idempotency_key_reused')
})

const noteOf = (object: string) =>
  fact({ payload: { kind: 'semantic', subject: 's', predicate: 'p', object } })

/** An answer to a client of 2025 is one event of a stream. */
function resultOf({ text }: { text: string }): Body {
  return JSON.parse(
    text
      .split('\n')
      .find((line) => line.startsWith('data: '))
      ?.slice(6) ?? text,
  ).result
}
