import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countRecordsOfType,
  countTableRows,
  forget,
  postCapture,
  range,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, expectProblem, read } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

describe('POST /v1/capture with a reference', () => {
  it('stores one episode, for any other content of the repetition', async () => {
    const first = await captureFact(app, triple('linux', { ref: 'once', project: 'Rho' }), { scope: 'once' })
    const before = await countTableRows(app)
    for (const [content, more] of [
      [triple('linux', { ref: 'once', project: 'Rho' }), {}],
      [triple('other', { ref: 'once', user: 'New One' }), { tags: ['x'], timestamp: '2026-01-01T00:00:00Z' }],
      [{ ref: 'once' }, { source_kind: 'event' }],
      [{ ref: 'once', tool_name: 'grep' }, { source_kind: 'tool_output' }],
    ] as const) {
      expect(await captureFact(app, content, { scope: 'once', ...more })).toEqual({
        primary_record: first.primary_record,
        created_records: [],
        edges: [],
        deduplicated: true,
      })
    }
    expect(await countTableRows(app)).toEqual(before)
  })

  it('distinguishes sources, scopes, sensitivities and the exact text of the reference', async () => {
    const ids = new Set<string>()
    const variants = [
      {},
      { source: 'agent-2' },
      { scope: 'a' },
      { scope: 'b' },
      { sensitivity: 'public' },
      { sensitivity: 'high' },
      { source: 'agent-2', scope: 'a' },
    ]
    for (const ref of ['x', 'X', 'x ']) {
      for (const more of ref === 'x' ? variants : [{}]) {
        const first = await capture(app, { ref, text: `said ${ref}` }, more)
        expect(first.deduplicated).toBe(false)
        ids.add(first.primary_record.id)
        expect((await capture(app, { ref, text: 'again' }, more)).primary_record.id).toBe(
          first.primary_record.id,
        )
      }
    }
    expect(ids.size).toBe(variants.length + 2)
  })

  it('stores a new episode each time when the reference is missing, and refuses an empty one', async () => {
    for (const content of ['text', { text: 'text' }, { ref: null, text: 'text' }, ['ref']]) {
      expect((await capture(app, content)).deduplicated).toBe(false)
      expect((await capture(app, content)).deduplicated).toBe(false)
    }
    expect((await postCapture(app, { ref: '' })).status).toBe(422)
    expect((await postCapture(app, { ref: 7 })).status).toBe(422)
  })

  it('stores one episode for twenty concurrent captures', async () => {
    const answers = await Promise.all(
      range(20).map((n) =>
        captureFact(app, triple(`v${n}`, { ref: 'race', user: `U${n}` }), { scope: 'race' }),
      ),
    )
    expect(answers.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1)
    expect(new Set(answers.map(({ primary_record: { id } }) => id)).size).toBe(1)
    expect(await countRecordsOfType(app, 'episodic', 'race')).toBe(1)
    expect(await countRecordsOfType(app, 'semantic', 'race')).toBe(1)
    expect(await countRecordsOfType(app, 'entity', 'race')).toBe(2)
  })

  it('answers record_forgotten when the episode was forgotten', async () => {
    const { primary_record: episode } = await capture(app, { ref: 'gone', text: 'gone' })
    await forget(app, episode.id)
    expectProblem(await postCapture(app, { ref: 'gone', text: 'gone' }), 410, 'record_forgotten')
  })

  it('answers with the current state of the episode', async () => {
    const { primary_record: first } = await capture(app, { ref: 'moved on', text: 'x' })
    const body = { outcome: 'success', actor: 'ci' }
    await app.request('POST', `/v1/records/${first.id}/outcome`, { body })
    const { primary_record: again } = await capture(app, { ref: 'moved on', text: 'x' })
    expect(again).toEqual(await read(app, first.id))
    expect(again.version).toBe(2)
  })
})

describe('POST /v1/capture with an Idempotency-Key', () => {
  const send = (key: string, content: unknown, more: object = {}) =>
    postCapture(
      app,
      content,
      { source_kind: 'observation', ...more },
      { headers: { 'idempotency-key': key } },
    )

  it('stores one episode and answers the retry byte for byte the same', async () => {
    const first = await send('k1', triple('linux', { user: 'Keyed' }), { scope: 'keyed' })
    const before = await countTableRows(app)
    app.clock.advance(60_000)
    const again = await send('k1', triple('linux', { user: 'Keyed' }), { scope: 'keyed' })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await countTableRows(app)).toEqual(before)
  })

  it('refuses other content under the same key', async () => {
    await send('k2', triple('linux'), { scope: 'keyed too' })
    expectProblem(await send('k2', triple('windows'), { scope: 'keyed too' }), 422, 'idempotency_key_reused')
  })

  it('replays the answer although the same content would now be refused', async () => {
    const { text, body } = await send('k3', { ref: 'k3', text: 'said' })
    await forget(app, (body as Body).primary_record.id)
    const again = await send('k3', { ref: 'k3', text: 'said' })
    expect([again.status, again.text]).toEqual([201, text])
  })

  it('stores one episode for twenty concurrent requests', async () => {
    const answers = await Promise.all(range(20).map(() => send('k4', triple('k4'), { scope: 'k4' })))
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 409, 'request_in_progress')
    }
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(await countRecordsOfType(app, 'episodic', 'k4')).toBe(1)
    expect(await countRecordsOfType(app, 'semantic', 'k4')).toBe(1)
  })
})

/** Sends the request and closes the connection after some milliseconds, answered or not. */
async function hangUp(body: object, headers: Record<string, string>, afterMs: number): Promise<void> {
  const { port, hostname } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.on('error', () => {})
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host: hostname,
    authorization: `Bearer ${rootKey}`,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(text)}`,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST /v1/capture HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  socket.destroy()
}

describe('a capture whose connection breaks', () => {
  it.each([
    { by: 'its Idempotency-Key', content: {}, headers: (n: number) => ({ 'idempotency-key': `hung-${n}` }) },
    { by: 'its reference', content: { ref: 'hung' }, headers: () => ({}) },
  ])('is stored once however often it is repeated with $by', async ({ by, content, headers }) => {
    for (const [n, afterMs] of [0, 2, 8, 32].entries()) {
      const scope = `${by} ${n}`
      const body = {
        source: 'agent-1',
        source_kind: 'observation',
        scope,
        content: { ...triple('linux', { user: ['A', 'B'] }), ...content },
      }
      await hangUp(body, headers(n), afterMs)
      let answer = await app.request('POST', '/v1/capture', { body, headers: headers(n) })
      for (let tries = 0; answer.status === 409 && tries < 500; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        answer = await app.request('POST', '/v1/capture', { body, headers: headers(n) })
      }
      expect(answer.status, answer.text).toBe(201)
      const counts = await Promise.all(
        ['episodic', 'semantic', 'entity'].map((type) => countRecordsOfType(app, type, scope)),
      )
      expect([scope, ...counts]).toEqual([scope, 1, 1, 3])
      const { fact, primary_record: primary } = answer.body as Body
      if (fact) expect(await read(app, fact.record_id)).toMatchObject({ version: 1 })
      expect(await read(app, primary.id)).toMatchObject({ version: 1 })
    }
  })

  it('leaves one more episode when it is repeated with neither, but no second fact or entity', async () => {
    const body = {
      source: 'agent-1',
      source_kind: 'observation',
      scope: 'neither',
      content: triple('linux', { user: ['A', 'B'] }),
    }
    await hangUp(body, {}, 50)
    await app.request('POST', '/v1/capture', { body })
    expect(await countRecordsOfType(app, 'semantic', 'neither')).toBe(1)
    expect(await countRecordsOfType(app, 'entity', 'neither')).toBe(3)
    expect(await countRecordsOfType(app, 'episodic', 'neither')).toBeLessThanOrEqual(2)
  })
})
