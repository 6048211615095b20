import { afterAll, describe, expect, it } from 'vitest'
import { ConnectionError, createClient, isProblem, ProblemError, type Schemas } from '../src/index.ts'
import { answerFirst, problem } from './support/answers.ts'
import { collect } from './support/collect.ts'
import { startService } from './support/service.ts'

const service = await startService()
afterAll(() => service.close())

const fact = (subject: string, more: Partial<Schemas['NewRecord']> = {}): Schemas['NewRecord'] => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject, predicate: 'is', object: 1 },
  ...more,
})
const why = { actor: 'a test', rationale: 'to see' }
const missing = '01980000-0000-7000-8000-00000000ffff'

describe('an operation', () => {
  it('sends path, query and body, and answers the body', async () => {
    const { client } = service
    const written = await client.createRecord({ body: fact('one', { tags: ['a b', 'ä/?'] }) })
    await client.createRecord({ body: fact('other', { tags: ['a b'] }) })
    const { items } = await client.listRecords({ query: { tag: ['a b', 'ä/?'] } })
    expect(items.map(({ id }) => id)).toEqual([written.id])
    expect(await client.getRecord({ path: { id: written.id } })).toMatchObject({ id: written.id, version: 1 })
    const conversation = { conversation_id: 'a/b?c ü' }
    await client.appendMessages({ path: conversation, body: { messages: [{ role: 'user', content: 'Hi' }] } })
    const page = await client.listMessages({ path: conversation, query: { unscoped: true } })
    expect(page.items).toHaveLength(1)
  })

  it('answers nothing, a text or lines where the service does', async () => {
    const { client } = service
    const { id } = await client.createKey({ body: { name: 'short-lived', permissions: ['records:read'] } })
    expect(await client.deleteKey({ path: { id } })).toBeUndefined()
    expect(await client.scrapeMetrics()).toContain('# TYPE')
    const line = JSON.stringify(fact('imported'))
    const reports = await collect(client.importRecords({ body: `${line}\n${line.slice(1)}\n` }))
    expect(reports).toMatchObject([{ status: 'created' }, { status: 'invalid' }, { summary: { created: 1 } }])
    const exported = await collect(client.exportRecords({ query: { type: 'semantic' } }))
    expect(exported).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ payload: expect.objectContaining({ subject: 'imported' }) }),
      ]),
    )
  })

  it('throws the problem of a refusal', async () => {
    const refused = service.client.getRecord({ path: { id: missing } })
    await expect(refused).rejects.toMatchObject({
      name: 'ProblemError',
      status: 404,
      code: 'record_not_found',
      operation: 'getRecord',
      problem: { request_id: expect.any(String) },
    })
    const error = await refused.catch((reason: unknown) => reason)
    expect(isProblem(error)).toBe(true)
    expect(isProblem(error, 'version_mismatch', 'record_not_found')).toBe(true)
    expect(isProblem(error, 'version_mismatch')).toBe(false)
    expect(isProblem(new Error('other'))).toBe(false)
  })

  it('says in the message which places of the request are wrong, and why a connection failed', async () => {
    const body = { text: '', scope: 'x'.repeat(300), about: '', occurred_at: 'soon' }
    await expect(service.client.remember({ body })).rejects.toThrow(
      /^remember: The body does not match the schema\. \/text must not be empty; .+; .+ and \d more\. \(validation_failed\)$/,
    )
    const closed = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
    await expect(closed.listRecords()).rejects.toThrow(/^listRecords: the connection failed: .+/)
  })

  it('says once what is wrong when a place and the whole request have the same message', async () => {
    const conversation = { conversation_id: 'said-once' }
    const write = (content: string) =>
      service.client.appendMessages({
        path: conversation,
        body: { messages: [{ id: 'm1', role: 'user', content }] },
      })
    await write('Hello')
    await expect(write('Goodbye')).rejects.toThrow(
      /^appendMessages: The message with this id has another text, calls or writer\. \/messages\/0\/id\. \(message_conflict\)$/,
    )
  })

  it('changes only the version that it names', async () => {
    const { client } = service
    const { id, version } = await client.createRecord({ body: fact('versioned') })
    const path = { id }
    await client.reinforceRecord({ path, body: why, ifMatch: version })
    const late = client.reinforceRecord({ path, body: why, ifMatch: version })
    await expect(late).rejects.toMatchObject({ code: 'version_mismatch', status: 412 })
  })

  it('reads what it wrote itself, also from a replica', async () => {
    const positions: (string | null)[] = []
    const client = service.connect({
      async fetch(input, init) {
        positions.push(new Headers(init?.headers).get('membrane-position'))
        return fetch(input, init)
      },
    })
    await client.listRecords()
    const { id } = await client.createRecord({ body: fact('written') })
    await client.getRecord({ path: { id } })
    expect(positions).toEqual([null, null, expect.stringMatching(/^p1\./)])
  })

  it('refuses an empty part of a path, which would be another path', () => {
    expect(() => service.client.getRecord({ path: { id: '' } })).toThrow('the path lacks its parameter id')
  })

  it('sends no parameter that would change the path', () => {
    for (const id of ['.', '..'])
      expect(() => service.client.listEntityRecords({ path: { id } })).toThrow(
        `the path cannot contain ${id}`,
      )
  })
})

describe('a list', () => {
  it('is read page after page, with its filters', async () => {
    const { client } = service
    const scope = 'pages'
    for (let count = 0; count < 7; count++) await client.createRecord({ body: fact(`p${count}`, { scope }) })
    const seen: string[] = []
    for await (const { id } of client.each('listRecords', { query: { scope, limit: 3 } })) seen.push(id)
    expect(new Set(seen).size).toBe(7)
  })

  it('asks for no page after the reader has stopped', async () => {
    let asked = 0
    const client = service.connect({
      fetch: (...request) => {
        asked++
        return fetch(...request)
      },
    })
    for await (const record of client.each('listRecords', { query: { limit: 1 } })) {
      expect(record.id).toBeTypeOf('string')
      break
    }
    expect(asked).toBe(1)
  })
})

describe('a request that fails for now', () => {
  it('is repeated with one Idempotency-Key, so that its effect comes once', async () => {
    const { fetch, keys } = answerFirst(
      new TypeError('reset'),
      problem(503, 'overloaded', { 'retry-after': '0' }),
    )
    const client = service.connect({ fetch })
    await client.createRecord({ body: fact('once', { scope: 'once' }) })
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect((await client.listRecords({ query: { scope: 'once' } })).items).toHaveLength(1)
    await client.createRecord({ body: fact('own key'), idempotencyKey: 'turn-7' })
    expect(keys.at(-1)).toBe('turn-7')
  })

  it('waits for a first attempt that still runs', async () => {
    const { fetch, keys } = answerFirst(problem(409, 'request_in_progress', { 'retry-after': '0' }))
    await service.connect({ fetch }).createRecord({ body: fact('still running') })
    expect(keys).toHaveLength(2)
  })

  it('is given up after the retries, and at once when the server asks for a longer time', async () => {
    const lost = [1, 2, 3].map(() => new TypeError('reset'))
    const { fetch, keys } = answerFirst(...lost)
    const failing = service.connect({ fetch, retries: 2 }).listRecords()
    await expect(failing).rejects.toBeInstanceOf(ConnectionError)
    expect(keys).toHaveLength(3)

    const busy = answerFirst(problem(429, 'rate_limited', { 'retry-after': '60' }))
    const client = service.connect({ fetch: busy.fetch, maxRetryDelayMs: 59_999 })
    await expect(client.listRecords()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 })
    expect(busy.keys).toHaveLength(1)
  })

  it('understands a date, and an answer that is no problem document', async () => {
    const past = answerFirst(problem(503, 'shutting_down', { 'retry-after': new Date(0).toUTCString() }))
    await service.connect({ fetch: past.fetch }).listRecords()
    expect(past.keys).toHaveLength(2)
    const proxy = answerFirst(new Response('<h1>Forbidden</h1>', { status: 403 }))
    const refused = service.connect({ fetch: proxy.fetch }).listRecords()
    await expect(refused).rejects.toMatchObject({ status: 403, code: undefined, problem: undefined })
    await expect(refused).rejects.toBeInstanceOf(ProblemError)
  })

  it('is not repeated when it would fail again, or when its body is a stream', async () => {
    const defect = answerFirst(problem(500, 'internal_error'))
    await expect(service.connect({ fetch: defect.fetch }).listRecords()).rejects.toMatchObject({
      status: 500,
    })
    expect(defect.keys).toHaveLength(1)
    const broken = answerFirst(problem(503, 'overloaded', { 'retry-after': '0' }))
    const body = new Blob([`${JSON.stringify(fact('streamed'))}\n`]).stream()
    const reports = service.connect({ fetch: broken.fetch }).importRecords({ body })
    await expect(reports.next()).rejects.toMatchObject({ code: 'overloaded' })
    expect(broken.keys).toHaveLength(1)
  })

  it('is not sent to where a redirect leads', async () => {
    const moved = answerFirst(
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
    )
    await expect(service.connect({ fetch: moved.fetch }).listRecords()).rejects.toMatchObject({ status: 302 })
  })
})
