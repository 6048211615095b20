import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countTableRows,
  postCapture,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, expectProblem, pointersOf, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

/** Keys of the scope `mine` up to `low`, of the scope `theirs`, and of both. */
let mine: RequestOptions
let theirs: RequestOptions
let both: RequestOptions
const app = await startTestApp()
beforeAll(async () => {
  const keyOf = async (more: object) => ({ key: await app.issueKey(['records:read', 'records:write'], more) })
  mine = await keyOf({ scopes: ['mine'], max_sensitivity: 'low' })
  theirs = await keyOf({ scopes: ['theirs'] })
  both = await keyOf({ scopes: ['mine', 'theirs'] })
})
afterAll(() => app.close())

describe('POST /v1/capture with a limited key', () => {
  it('captures into the only scope of the key by default', async () => {
    const { created_records: records } = await captureFact(app, triple('linux', { user: 'A' }), {}, mine)
    expect(records.map(({ scope, source_type }: Body) => [scope, source_type])).toEqual(
      records.map(() => ['mine', 'ingest']),
    )
    expectProblem(await postCapture(app, 'x', { scope: 'theirs' }, mine), 403, 'outside_trust')
  })

  it('requires a scope when the key has several', async () => {
    expectProblem(await postCapture(app, 'x', {}, both), 422, 'scope_required')
    expect((await capture(app, 'x', { scope: 'theirs' }, both)).primary_record.scope).toBe('theirs')
  })

  it('refuses a sensitivity above the ceiling of the key', async () => {
    expectProblem(await postCapture(app, 'x', { sensitivity: 'medium' }, mine), 403, 'outside_trust')
    expect((await postCapture(app, 'x', { sensitivity: 'public' }, mine)).status).toBe(201)
  })

  it('refuses a source type that the key may not claim', async () => {
    const answer = await postCapture(app, 'x', { source_type: 'human' }, mine)
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual(['/source_type'])
    expect((await capture(app, 'x', { source_type: 'dream' }, mine)).primary_record.source_type).toBe('dream')
  })

  it('stores nothing when the capture is refused', async () => {
    const before = await countTableRows(app)
    await postCapture(app, triple('x', { user: 'New' }), { scope: 'theirs' }, mine)
    await postCapture(app, triple('x', { user: 'New' }), {}, both)
    await postCapture(app, triple('x', { user: 'New' }), { sensitivity: 'hyper' }, mine)
    expect(await countTableRows(app)).toEqual(before)
  })

  it('refuses a key that may only read', async () => {
    const key = await app.issueKey(['records:read'])
    expectProblem(await postCapture(app, 'x', {}, { key }), 403, 'forbidden')
    expectProblem(await postCapture(app, 'x', {}, { key: false }), 401, 'unauthenticated')
  })

  it('answers a key without read permission with the ids and versions it wrote, and nothing else', async () => {
    const options = { key: await app.issueKey(['records:write']) }
    const bare = (records: Body[]) => {
      for (const record of records) expect(Object.keys(record).sort()).toEqual(['id', 'version'])
    }
    const captureBlind = async (object: string, more: object = {}, source_kind = 'observation') => {
      const content = { ...triple(object), user: ['A', 'B'], ...more }
      const answer = await capture(app, content, { scope: 'blind', source_kind }, options)
      bare([answer.primary_record, ...answer.created_records])
      return answer
    }
    const first = await captureBlind('linux', { ref: 'r', revision_policy: 'replace' })
    expect(first.created_records).toHaveLength(5)
    await captureBlind('linux')
    const replaced = await captureBlind('windows')
    expect(replaced.fact.outcome).toBe('replaced')
    await captureBlind('linux')
    expect((await captureBlind('linux', { ref: 'r' })).deduplicated).toBe(true)
    await captureBlind('', { thread_id: 't' }, 'working_state')
    await captureBlind('', { thread_id: 't', state: 'done' }, 'working_state')
    const judged = await captureBlind(
      '',
      { target_id: first.primary_record.id, outcome: 'success' },
      'outcome',
    )
    expect(judged.primary_record).toEqual({ id: first.primary_record.id, version: 2 })
  })
})

describe('records of another scope', () => {
  it('are never matched by name, fact, thread, reference or id', async () => {
    const scope = { scope: 'theirs' }
    const theirAnswer = await captureFact(app, triple('linux', { ref: 'shared', user: 'Zoe' }), scope, theirs)
    const task = await capture(
      app,
      { thread_id: 'shared' },
      { ...scope, source_kind: 'working_state' },
      theirs,
    )
    const before = await Promise.all(
      [...theirAnswer.created_records, task.primary_record].map(({ id }: Body) => read(app, id)),
    )
    const ids = before.map(({ id }) => id)
    const content = triple('windows', { ref: 'shared', user: 'Zoe', record_ids: ids, subject: 'the mast' })
    const answers = [
      await captureFact(app, content, {}, mine),
      await captureFact(app, triple('linux', { ref: 'shared 2' }), {}, mine),
      await capture(app, { thread_id: 'shared', record_id: ids }, { source_kind: 'working_state' }, mine),
    ]
    for (const answer of answers) {
      expect(answer.deduplicated).toBe(false)
      for (const { id } of answer.created_records) expect(ids).not.toContain(id)
      const ends = answer.edges.flatMap((edge: Body) => [edge.source_id, edge.target_id])
      expect(ends.filter((id: string) => ids.includes(id))).toEqual([])
      expect(answer.fact?.outcome ?? 'created').not.toBe('contested')
    }
    const verdict = { target_id: theirAnswer.primary_record.id, outcome: 'success' }
    const unknown = await postCapture(
      app,
      { ...verdict, target_id: app.ids.next() },
      { source_kind: 'outcome' },
      mine,
    )
    const refused = await postCapture(app, verdict, { source_kind: 'outcome' }, mine)
    const { request_id: _, ...problem } = expectProblem(refused, 404, 'record_not_found')
    const { request_id: _1, ...absent } = unknown.body as Body
    expect(problem).toEqual(absent)
    const path = `/v1/records/${theirAnswer.primary_record.id}/outcome`
    const body = { outcome: 'success', actor: 'a' }
    expectProblem(await app.request('POST', path, { ...mine, body }), 404, 'record_not_found')
    expect(await Promise.all(ids.map((id) => read(app, id)))).toEqual(before)
  })
})

describe('records above the ceiling of the key', () => {
  it('are never matched, and the answer does not reveal that they exist', async () => {
    for (const sensitivity of ['medium', 'hyper']) {
      const more = { scope: 'mine', sensitivity }
      const content = triple(sensitivity, {
        ref: sensitivity,
        user: `Mx ${sensitivity}`,
        subject: sensitivity,
      })
      const high = await captureFact(app, content, more)
      const task = await capture(app, { thread_id: sensitivity }, { ...more, source_kind: 'working_state' })
      const ids = [...high.created_records.map(({ id }: Body) => id), task.primary_record.id]
      const low = await captureFact(app, { ...content, record_ids: ids }, {}, mine)
      expect(low).toMatchObject({ deduplicated: false, fact: { outcome: 'created' } })
      const answer = await postCapture(
        app,
        { thread_id: sensitivity },
        { source_kind: 'working_state' },
        mine,
      )
      // One level above its ceiling a key sees that a record exists; further above it sees nothing.
      if (sensitivity === 'medium') expectProblem(answer, 403, 'above_ceiling')
      else expect((answer.body as Body).created_records).toHaveLength(1)
      const ends = [...low.edges, ...((answer.body as Body).edges ?? [])].flatMap((edge: Body) => [
        edge.source_id,
        edge.target_id,
      ])
      expect(ends.filter((id: string) => ids.includes(id))).toEqual([])
    }
  })

  it('cannot be given an outcome', async () => {
    const { primary_record: seen } = await capture(app, 'x', { scope: 'mine', sensitivity: 'medium' })
    const verdict = { target_id: seen.id, outcome: 'success' }
    expectProblem(await postCapture(app, verdict, { source_kind: 'outcome' }, mine), 403, 'above_ceiling')
    const body = { outcome: 'success', actor: 'a' }
    const path = `/v1/records/${seen.id}/outcome`
    expectProblem(await app.request('POST', path, { ...mine, body }), 403, 'above_ceiling')
  })

  it('stay unchanged when a task was made more sensitive since the last report', async () => {
    const begun = await capture(
      app,
      { thread_id: 'raised', state: 'blocked' },
      { source_kind: 'working_state' },
      mine,
    )
    const body = { sensitivity: 'high' }
    await app.request('PATCH', `/v1/records/${begun.primary_record.id}`, { body })
    const next = await capture(
      app,
      { thread_id: 'raised', state: 'done' },
      { source_kind: 'working_state' },
      mine,
    )
    expect(next.primary_record.id).not.toBe(begun.primary_record.id)
    expect(next.primary_record).toMatchObject({ sensitivity: 'low', version: 1 })
    expect((await read(app, begun.primary_record.id)).payload.state).toBe('blocked')
  })
})
