import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countTableRows,
  forget,
  postCapture,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, expectProblem, pointersOf, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const captureEpisode = async (content: unknown = { text: 'a deploy' }): Promise<Body> =>
  (await capture(app, content)).primary_record
const captureOutcome = (id: string, outcome: string, more: object = {}, outside: object = {}) =>
  postCapture(app, { target_id: id, outcome, ...more }, { source_kind: 'outcome', ...outside })
const postOutcome = (id: string, outcome: string, more: object = {}, options: RequestOptions = {}) =>
  app.request('POST', `/v1/records/${id}/outcome`, { ...options, body: { outcome, actor: 'ci', ...more } })

describe.each([
  {
    by: 'a capture',
    set: (id: string, outcome: string) => captureOutcome(id, outcome),
    status: 201,
    actor: 'root',
  },
  {
    by: 'the call',
    set: (id: string, outcome: string) => postOutcome(id, outcome),
    status: 200,
    actor: 'ci',
  },
])('the outcome of an episode, set through $by', ({ set, status, actor }) => {
  const recordIn = ({ body }: { body: unknown }): Body => (body as Body).primary_record ?? body

  it('is stored and audited', async () => {
    const { id } = await captureEpisode()
    const answer = await set(id, 'success')
    expect(answer.status).toBe(status)
    const record = recordIn(answer)
    expect(record).toMatchObject({ id, version: 2, payload: { outcome: 'success' } })
    expect(record.audit_log.at(-1)).toMatchObject({ action: 'revise', actor })
    expect(record.audit_log.at(-1).changes).toEqual({ 'payload.outcome': [null, 'success'] })
    expect(await read(app, id)).toEqual(record)
  })

  it('can be corrected, and the log keeps the earlier value', async () => {
    const { id } = await captureEpisode({ text: 'a test', outcome: 'success' })
    await set(id, 'failure')
    await set(id, 'partial')
    const record = await read(app, id)
    expect(record).toMatchObject({ version: 3, payload: { outcome: 'partial' } })
    expect(record.audit_log.slice(1).map(({ changes }: Body) => changes['payload.outcome'])).toEqual([
      ['success', 'failure'],
      ['failure', 'partial'],
    ])
  })

  it('writes nothing when it is repeated', async () => {
    const { id } = await captureEpisode()
    await set(id, 'success')
    const before = [await countTableRows(app), await read(app, id)]
    expect((await set(id, 'success')).status).toBe(status)
    expect([await countTableRows(app), await read(app, id)]).toEqual(before)
  })

  it('can be set for episodes only', async () => {
    const { created_records: records } = await captureFact(app, triple('linux', { project: 'X' }), {
      scope: actor,
    })
    const task = await capture(app, { thread_id: 't' }, { source_kind: 'working_state' })
    const others = [...records.slice(1), task.primary_record]
    expect(others.map(({ type }: Body) => type).sort()).toEqual(['entity', 'entity', 'semantic', 'working'])
    for (const { id } of others) expectProblem(await set(id, 'success'), 409, 'type_mismatch')
  })

  it('is one of three values', async () => {
    const { id } = await captureEpisode()
    const answer = await set(id, 'great')
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual([status === 201 ? '/content/outcome' : '/outcome'])
  })

  it('is refused for a missing or forgotten episode', async () => {
    expectProblem(await set(app.ids.next(), 'success'), 404, 'record_not_found')
    const { id } = await captureEpisode()
    await forget(app, id)
    expectProblem(await set(id, 'success'), 410, 'record_forgotten')
  })

  it('changes nothing else in the episode', async () => {
    const content = { text: 'whole', timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'k', ref: 'r' }] }
    const before = await captureEpisode({
      ...content,
      tool_graph: [{ id: '1', tool: 'grep', args: { a: 1 } }],
    })
    await set(before.id, 'failure')
    const { payload, ...after } = await read(app, before.id)
    expect(payload).toEqual({ ...before.payload, outcome: 'failure' })
    expect(after).toMatchObject({ lifecycle: before.lifecycle, tags: before.tags, salience: before.salience })
  })
})

describe('POST /v1/records/{id}/outcome', () => {
  it('requires the version in If-Match', async () => {
    const { id } = await captureEpisode()
    const stale = { headers: { 'if-match': '"7"' } }
    expectProblem(await postOutcome(id, 'success', {}, stale), 412, 'version_mismatch')
    const answer = await postOutcome(
      id,
      'success',
      { rationale: 'green' },
      { headers: { 'if-match': '"1"' } },
    )
    expect(answer.headers.get('etag')).toBe('"2"')
    expect((answer.body as Body).audit_log.at(-1)).toMatchObject({ actor: 'ci', rationale: 'green' })
    const again = { headers: { 'if-match': '"1"' } }
    expectProblem(await postOutcome(id, 'failure', {}, again), 412, 'version_mismatch')
  })

  it('answers the same under its Idempotency-Key', async () => {
    const { id } = await captureEpisode()
    const options = { headers: { 'idempotency-key': 'outcome-1' } }
    const first = await postOutcome(id, 'success', {}, options)
    await postOutcome(id, 'failure')
    const again = await postOutcome(id, 'success', {}, options)
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
    expect((await read(app, id)).payload.outcome).toBe('failure')
  })

  it('applies fifty concurrent requests one after the other, each with an audit entry', async () => {
    const { id } = await captureEpisode()
    const outcomes = ['success', 'failure', 'partial']
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => postOutcome(id, outcomes[n % 3] ?? 'success')),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await app.request('GET', `/v1/records/${id}/audit?limit=500`)
    const steps = (body as Body).items.flatMap(({ changes }: Body) =>
      changes ? [changes['payload.outcome']] : [],
    )
    for (const [index, [before]] of steps.entries())
      expect(before).toBe(index === 0 ? null : steps[index - 1][1])
    expect((await read(app, id)).payload.outcome).toBe(steps.at(-1)[1])
  })
})

describe('POST /v1/capture with an outcome', () => {
  it('keeps every other field in the audit log', async () => {
    const { id } = await captureEpisode()
    const auditFields = { rationale: 'all green', checks: [1, { deep: true }] }
    const more = { context: { branch: 'main' }, reason_to_remember: 'why not', summary: 'It went well.' }
    const { body } = await captureOutcome(id, 'success', auditFields, more)
    expect((body as Body).created_records).toEqual([])
    expect((await read(app, id)).audit_log.at(-1)).toMatchObject({
      rationale: 'all green',
      changes: {
        'payload.outcome': [null, 'success'],
        captured: [null, { content: { checks: [1, { deep: true }] }, ...more }],
      },
    })
  })

  it('requires the id of an episode and an outcome, and refuses others with a pointer', async () => {
    for (const [content, pointers] of [
      ['success', ['/content']],
      [null, ['/content']],
      [{}, ['/content/target_id', '/content/outcome']],
      [{ target_id: 'x', outcome: 'success' }, ['/content/target_id']],
      [{ target_id: null, outcome: null }, ['/content/target_id', '/content/outcome']],
      [{ target_id: app.ids.next(), outcome: 'success', rationale: 7 }, ['/content/rationale']],
    ] as const) {
      const answer = await postCapture(app, content, { source_kind: 'outcome' })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual(pointers)
    }
  })

  it('does not set an outcome again when a late retry follows a correction', async () => {
    const { id } = await captureEpisode()
    const first = await captureOutcome(id, 'success', { ref: 'verdict-1' })
    expect((first.body as Body).deduplicated).toBe(false)
    await captureOutcome(id, 'failure', { ref: 'verdict-2' })
    const late = await captureOutcome(id, 'success', { ref: 'verdict-1' })
    expect(late.body).toMatchObject({ deduplicated: true, primary_record: { id } })
    expect(await read(app, id)).toMatchObject({ version: 3, payload: { outcome: 'failure' } })
    // With another source, or without the reference, it is a new outcome.
    await captureOutcome(id, 'partial', { ref: 'verdict-1' }, { source: 'agent-2' })
    expect((await read(app, id)).payload.outcome).toBe('partial')
  })

  it('may have the same reference as its episode', async () => {
    const { id } = await captureEpisode({ ref: 'run-1', text: 'begun' })
    const { body } = await captureOutcome(id, 'success', { ref: 'run-1' })
    expect(body).toMatchObject({ deduplicated: false, primary_record: { payload: { outcome: 'success' } } })
    expect((await capture(app, { ref: 'run-1', text: 'begun' })).primary_record.id).toBe(id)
  })
})
