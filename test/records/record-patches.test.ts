import { afterAll, describe, expect, it } from 'vitest'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  pointersOf,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request('PATCH', `/v1/records/${id}`, { body, headers })

describe('PATCH /v1/records/{id}', () => {
  it('changes the given fields, increments the version and writes an audit entry', async () => {
    const record = await create(app, fact({ tags: ['old'] }))
    app.clock.advance(1_000)
    const answer = await patch(record.id, { tags: ['new', 'new'], confidence: 0.5, scope: 'team' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBe('"2"')
    const changed = answer.body as Body
    expect(changed).toMatchObject({ tags: ['new'], confidence: 0.5, scope: 'team', version: 2 })
    expect(changed.updated_at).toBe(app.clock.now().toISOString())
    expect(changed.audit_log[1]).toMatchObject({
      action: 'revise',
      actor: 'root',
      changes: { tags: [['old'], ['new']], confidence: [1, 0.5], scope: ['', 'team'] },
    })
    expect(await read(app, record.id)).toEqual(changed)
  })

  it('writes nothing when nothing changes', async () => {
    const record = await create(app, fact({ tags: ['a'] }))
    const answer = await patch(record.id, { tags: ['a'], confidence: 1, lifecycle: { decay: {} } })
    expect(answer.body).toEqual(record)
    expect(await read(app, record.id)).toEqual(record)
  })

  it('resets a field to its default with null', async () => {
    const record = await create(
      app,
      fact({ scope: 's', tags: ['a'], confidence: 0.1, memory_kind: 'narrative' }),
    )
    const { body } = await patch(record.id, { scope: null, tags: null, confidence: null, memory_kind: null })
    expect(body).toMatchObject({ tags: [], confidence: 1, memory_kind: 'fact' })
    expect(body).not.toHaveProperty('scope')
  })

  it('accepts the merge patch media type', async () => {
    const record = await create(app, fact())
    const answer = await patch(record.id, JSON.stringify({ tags: ['m'] }), {
      'content-type': 'application/merge-patch+json',
    })
    expect(answer.status).toBe(200)
  })

  it('starts a new decay curve from the current salience', async () => {
    const record = await create(app, fact())
    app.clock.advance(86_400_000)
    const decay = { half_life_seconds: 3_600, curve: 'linear' }
    const { body } = await patch(record.id, { lifecycle: { decay } })
    expect(body).toMatchObject({ salience: 0.5, lifecycle: { last_reinforced_at: record.created_at } })
    app.clock.advance(1_800_000)
    expect((await read(app, record.id)).salience).toBeCloseTo(0.25, 12)
  })

  it('freezes salience when it pins a record and continues decay when it unpins it', async () => {
    const record = await create(app, fact())
    app.clock.advance(86_400_000)
    await patch(record.id, { lifecycle: { pinned: true } })
    app.clock.advance(86_400_000)
    expect((await read(app, record.id)).salience).toBe(0.5)
    await patch(record.id, { lifecycle: { pinned: false } })
    app.clock.advance(86_400_000)
    expect((await read(app, record.id)).salience).toBeCloseTo(0.25, 12)
  })

  it('does not restart decay when only the end of the lifecycle changes', async () => {
    const record = await create(app, fact({ lifecycle: { decay: { curve: 'linear' } } }))
    app.clock.advance(43_200_000)
    await patch(record.id, {
      lifecycle: { deletion_policy: 'manual_only', decay: { reinforcement_gain: 1 } },
    })
    app.clock.advance(21_600_000)
    expect((await read(app, record.id)).salience).toBeCloseTo(0.25, 12)
  })

  it('updates importance with its inputs', async () => {
    const record = await create(app, fact({ base_importance: 0.5 }))
    const { body } = await patch(record.id, { base_importance: 1, emotional_valence: -1 })
    expect((body as Body).importance).toBeCloseTo(record.importance + 0.15 + 0.06, 12)
  })

  it('merges into the payload of working and entity records and validates the result', async () => {
    const working = await create(app, {
      type: 'working',
      payload: { ...payloads.working, next_actions: ['a'] },
    })
    const { body } = await patch(working.id, { payload: { state: 'done', next_actions: ['b'] } })
    expect(body).toMatchObject({ payload: { thread_id: 'thread-1', state: 'done', next_actions: ['b'] } })
    const found = await app.request('GET', '/v1/records?q=b&type=working')
    expect((found.body as Body).items.map((item: Body) => item.id)).toEqual([working.id])
    const broken = await patch(working.id, { payload: { state: 'asleep', thread_id: null, kind: 'working' } })
    expectProblem(broken, 422, 'validation_failed')
    expect(pointersOf(broken).sort()).toEqual(['/payload/state', '/payload/thread_id'])
    expectProblem(await patch(working.id, { payload: { kind: 'entity' } }), 422, 'validation_failed')
  })

  it('refuses to change the payload of other types', async () => {
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic })
    expectProblem(await patch(episode.id, { payload: { outcome: 'success' } }), 409, 'episodic_immutable')
    const semantic = await create(app, fact())
    expectProblem(await patch(semantic.id, { payload: { object: 'Rust' } }), 409, 'payload_immutable')
  })

  it('changes nothing when one field may not be changed', async () => {
    const record = await create(app, fact())
    const body = { status: 'merged', type: 'working', lifecycle: { last_reinforced_at: record.created_at } }
    const answer = await patch(record.id, body)
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer).sort()).toEqual(['/lifecycle/last_reinforced_at', '/status', '/type'])
    expectProblem(await patch(record.id, {}), 422, 'validation_failed')
    expectProblem(await patch(app.ids.next(), { tags: [] }), 404, 'record_not_found')
    expectProblem(await patch('not-an-id', { tags: [] }), 404, 'record_not_found')
  })
})

describe('PATCH /v1/records/{id} with If-Match', () => {
  it('requires the current version', async () => {
    const record = await create(app, fact())
    const stale = await patch(record.id, { tags: ['x'] }, { 'if-match': '"9"' })
    expect(expectProblem(stale, 412, 'version_mismatch').version).toBe(1)
    expectProblem(await patch(record.id, { tags: ['x'] }, { 'if-match': 'W/"1"' }), 412, 'version_mismatch')
    expect((await patch(record.id, { tags: ['x'] }, { 'if-match': '"1"' })).status).toBe(200)
    expect((await patch(record.id, { tags: ['y'] }, { 'if-match': '*' })).status).toBe(200)
  })

  it('accepts each of several tags, and no weak one', async () => {
    const record = await create(app, fact())
    expect((await patch(record.id, { tags: ['x'] }, { 'if-match': '"1","2"' })).status).toBe(200)
    const stale = await patch(record.id, { tags: ['y'] }, { 'if-match': '"1", W/"2", "3"' })
    expect(expectProblem(stale, 412, 'version_mismatch').version).toBe(2)
    expect((await patch(record.id, { tags: ['y'] }, { 'if-match': 'W/"9" , "2"' })).status).toBe(200)
  })

  it('succeeds for one of twenty writers that read the same version', async () => {
    const record = await create(app, fact())
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        patch(record.id, { tags: [`w${index}`] }, { 'if-match': '"1"' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19)
    expect((await read(app, record.id)).version).toBe(2)
  })

  it('is not needed for twenty writers of different fields to keep all changes', async () => {
    const record = await create(app, { type: 'working', payload: payloads.working })
    const names = ['tags', 'confidence', 'payload', 'base_importance', 'emotional_valence'] as const
    const bodies = [
      { tags: ['t'] },
      { confidence: 0.25 },
      { payload: { context_summary: 'kept' } },
      { base_importance: 0.75 },
      { emotional_valence: 0.5 },
    ]
    const answers = await Promise.all(names.map((_, index) => patch(record.id, bodies[index])))
    for (const { status } of answers) expect(status).toBe(200)
    const changed = await read(app, record.id)
    expect(changed).toMatchObject({ version: 6, tags: ['t'], confidence: 0.25, base_importance: 0.75 })
    expect(changed.payload.context_summary).toBe('kept')
    expect(changed.audit_log).toHaveLength(6)
  })
})

describe('an Idempotency-Key', () => {
  it('makes a repeated create one record', async () => {
    const headers = { 'idempotency-key': 'create-once' }
    const ask = () => app.request('POST', '/v1/records', { body: fact(), headers })
    const first = await ask()
    const again = await ask()
    expect(again.text).toBe(first.text)
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    const other = await app.request('POST', '/v1/records', { body: fact({ tags: ['x'] }), headers })
    expectProblem(other, 422, 'idempotency_key_reused')
  })

  it('replays a patch whose answer was lost', async () => {
    const record = await create(app, fact())
    const headers = { 'idempotency-key': 'patch-once', 'if-match': '"1"' }
    await patch(record.id, { tags: ['once'] }, headers)
    const again = await patch(record.id, { tags: ['once'] }, headers)
    expect(again.status).toBe(200)
    expect((await read(app, record.id)).version).toBe(2)
  })
})

describe('a server with MEMBRANE_REQUIRE_IF_MATCH', () => {
  it('refuses changes without If-Match and allows creates', async () => {
    const strict = await startTestApp({ variables: { MEMBRANE_REQUIRE_IF_MATCH: 'true' } })
    try {
      const record = await create(strict, fact())
      const ask = (headers: Record<string, string>) =>
        strict.request('PATCH', `/v1/records/${record.id}`, { body: { tags: ['x'] }, headers })
      expectProblem(await ask({}), 428, 'if_match_required')
      expect((await ask({ 'if-match': '"1"' })).status).toBe(200)
    } finally {
      await strict.close()
    }
  })
})

describe('a forgotten record', () => {
  it('is left out of lists and refuses changes, and can still be read with its reason', async () => {
    const record = await create(app, fact({ tags: ['to-delete'] }))
    const other = await create(app, fact({ relations: [{ predicate: 'supports', target_id: record.id }] }))
    const at = app.clock.now()
    const until = new Date(at.getTime() + 1)
    await app.db
      .updateTable('records')
      .set({ forgotten_at: at, forgotten_reason: 'pruned', forgotten_by: 'decay-service', purge_at: until })
      .where('id', '=', record.id)
      .execute()
    const gone = await app.request('GET', `/v1/records/${record.id}`)
    expect(expectProblem(gone, 410, 'record_forgotten').reason).toBe('pruned')
    expectProblem(await patch(record.id, { tags: [] }), 410, 'record_forgotten')
    const list = await app.request('GET', '/v1/records?tag=to-delete')
    expect((list.body as Body).items).toEqual([])
    const all = await app.request('GET', '/v1/records?tag=to-delete&include_forgotten=true')
    expect((all.body as Body).items).toHaveLength(1)
    const shown = await app.request('GET', `/v1/records/${record.id}?include_forgotten=true`)
    expect(shown.body).toMatchObject({ forgotten: { reason: 'pruned', actor: 'decay-service' } })
    expect((await read(app, other.id)).relations).toEqual([])
    expect((await app.request('GET', `/v1/records/${record.id}/audit`)).status).toBe(200)
  })
})
