import { afterAll, describe, expect, it } from 'vitest'
import { writeOneDayPolicies } from '../../support/apps/one-day-policies.ts'
import { type Body, create, expectProblem, fact, read } from '../../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_FORGOTTEN_RETENTION: '2d' } })
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const day = 86_400_000
const why = 'actor=ada&rationale=outdated'
const remove = (id: string, options: RequestOptions = {}, query = why) =>
  app.request('DELETE', `/v1/records/${id}?${query}`, options)
const restore = (id: string, options: RequestOptions = {}) =>
  app.request('POST', `/v1/records/${id}/restore`, {
    ...options,
    body: { actor: 'ada', rationale: 'needed after all' },
  })

async function forgotten(): Promise<Body> {
  const record = await create(app, fact())
  return (await remove(record.id)).body as Body
}

describe('DELETE /v1/records/{id}', () => {
  it('answers the forgotten record and removes it from reads and lists at once', async () => {
    const scope = app.ids.next()
    const record = await create(app, fact({ scope }))
    const { status, body, headers } = await remove(record.id)
    const at = app.clock.now().toISOString()
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"2"')
    expect(body).toMatchObject({
      id: record.id,
      version: 2,
      forgotten: { at, reason: 'deleted', actor: 'ada' },
    })
    expect((body as Body).forgotten.purge_at).toBe(
      new Date(app.clock.now().getTime() + 2 * day).toISOString(),
    )
    expect((body as Body).audit_log.at(-1)).toMatchObject({
      action: 'delete',
      actor: 'ada',
      rationale: 'outdated',
    })
    const problem = expectProblem(
      await app.request('GET', `/v1/records/${record.id}`),
      410,
      'record_forgotten',
    )
    expect(problem).toMatchObject({ reason: 'deleted', forgotten_at: at })
    const list = await app.request('GET', `/v1/records?scope=${scope}`)
    expect((list.body as Body).items).toEqual([])
    expect((await read(app, `${record.id}?include_forgotten=true`)).forgotten.actor).toBe('ada')
  })

  it('with the reason in a body says where it belongs', async () => {
    const { id } = await create(app, fact())
    const answer = await remove(id, { body: { actor: 'ada', reason: 'outdated' } }, '')
    expect(expectProblem(answer, 422, 'validation_failed')['errors']).toEqual([
      { pointer: '/actor', message: 'belongs in the query string' },
      { pointer: '/reason', message: 'unknown field' },
    ])
  })

  it('leaves a record that cannot be deleted again, patched or linked', async () => {
    const { id } = await forgotten()
    expectProblem(await remove(id), 410, 'record_forgotten')
    expectProblem(
      await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['x'] } }),
      410,
      'record_forgotten',
    )
  })

  it('leaves a record that every route calls purged once it can no longer be restored', async () => {
    const { id } = await forgotten()
    const other = await create(app, fact())
    app.clock.advance(31 * day)
    const edge = { predicate: 'supports', target_id: other.id }
    const reason = { actor: 'ada', rationale: 'r' }
    const asked: [string, string, object?][] = [
      ...(['', '/forecast', '/relations'] as const).map((path): [string, string] => ['GET', `${id}${path}`]),
      ['PATCH', id, { tags: ['late'] }],
      ['POST', `${id}/relations`, edge],
      ['POST', `${other.id}/relations`, { ...edge, target_id: id }],
      ...(['restore', 'reinforce', 'pin', 'access'] as const).map((path): [string, string, object] => [
        'POST',
        `${id}/${path}`,
        path === 'access' ? { actor: 'ada' } : reason,
      ]),
      ['POST', `${id}/retract`, reason],
    ]
    for (const [method, path, body] of asked) {
      const answer = await app.request(method, `/v1/records/${path}`, body ? { body } : {})
      expect({ method, path, code: (answer.body as Body).code }).toEqual({
        method,
        path,
        code: 'record_purged',
      })
    }
  })

  it('requires an actor and a rationale', async () => {
    const { id } = await create(app, fact())
    for (const query of ['', 'actor=ada', 'rationale=outdated', 'actor=&rationale=x']) {
      expectProblem(await remove(id, {}, query), 422, 'validation_failed')
    }
  })

  it('requires the version in If-Match', async () => {
    const { id } = await create(app, fact())
    expectProblem(await remove(id, { headers: { 'if-match': '"7"' } }), 412, 'version_mismatch')
    expect((await remove(id, { headers: { 'if-match': '"1"' } })).status).toBe(200)
  })

  it('takes effect once when it is repeated under its Idempotency-Key', async () => {
    const { id } = await create(app, fact())
    const headers = { 'idempotency-key': `delete-${id}` }
    const first = await remove(id, { headers })
    const again = await remove(id, { headers })
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  it('deletes a record with policy manual_only, and refuses one with policy never', async () => {
    const manual = await create(app, fact({ lifecycle: { deletion_policy: 'manual_only' } }))
    expect((await remove(manual.id)).status).toBe(200)
    const kept = await create(app, fact({ lifecycle: { deletion_policy: 'never', pinned: true } }))
    for (const query of [why, `${why}&force=true`]) {
      expectProblem(await remove(kept.id, {}, query), 409, 'deletion_policy_never')
    }
  })

  it('deletes a pinned record only when an admin forces it', async () => {
    const { id } = await create(app, fact({ lifecycle: { pinned: true } }))
    const key = await app.issueKey(['records:read', 'records:write'])
    expectProblem(await remove(id), 409, 'record_pinned')
    expectProblem(await remove(id, { key }, `${why}&force=true`), 403, 'forbidden')
    expect((await remove(id, {}, `${why}&force=true`)).status).toBe(200)
  })

  it('requires write permission and a record that the key sees completely', async () => {
    const { id } = await create(app, fact({ sensitivity: 'medium' }))
    expectProblem(await remove(id, { key: await app.issueKey(['records:read']) }), 403, 'forbidden')
    expectProblem(await remove(id, { key: await app.issueKey(['records:write']) }), 403, 'above_ceiling')
    const key = await app.issueKey(['records:write'], { scopes: ['elsewhere'] })
    const { id: hidden } = await create(app, fact({ scope: 'here' }))
    expectProblem(await remove(hidden, { key }), 404, 'record_not_found')
  })
})

describe('POST /v1/records/{id}/restore', () => {
  it('restores the record with the salience it had when it was forgotten, and decays from now', async () => {
    const record = await create(app, fact({ lifecycle: { decay: { half_life_seconds: 86_400 } } }))
    app.clock.advance(day)
    const { salience } = (await remove(record.id)).body as Body
    expect(salience).toBe(0.5)
    app.clock.advance(day)
    const { status, body, headers } = await restore(record.id)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"3"')
    const { audit_log: log, forgotten: none, ...back } = body as Body
    expect(none).toBeUndefined()
    expect(back).toMatchObject({ id: record.id, salience: 0.5, payload: record.payload, tags: record.tags })
    expect(log.map((entry: Body) => entry.action)).toEqual(['create', 'delete', 'restore'])
    expect(log.at(-1)).toMatchObject({ actor: 'ada', rationale: 'needed after all' })
    app.clock.advance(day)
    expect((await read(app, record.id)).salience).toBe(0.25)
  })

  it('has at least 0.1, however faint it was', async () => {
    const record = await create(app, fact({ salience: 0.2 }))
    app.clock.advance(10 * day)
    await remove(record.id)
    expect(((await restore(record.id)).body as Body).salience).toBe(0.1)
  })

  it('removes a maximum age that has passed, and audits that', async () => {
    const lifecycle = { decay: { max_age_seconds: 3_600 } }
    const record = await create(app, fact({ lifecycle }))
    app.clock.advance(day)
    await remove(record.id)
    const { body } = await restore(record.id)
    expect(body).toMatchObject({ salience: 0.1, lifecycle: { decay: { max_age_seconds: 0 } } })
    expect((body as Body).audit_log.at(-1).changes).toMatchObject({
      'lifecycle.decay.max_age_seconds': [3_600, 0],
      salience: [0, 0.1],
    })
    app.clock.advance(3_600_000)
    expect((await read(app, record.id)).salience).toBeGreaterThan(0.09)
  })

  it('keeps a maximum age that has not passed', async () => {
    const record = await create(app, fact({ lifecycle: { decay: { max_age_seconds: 2 * 86_400 } } }))
    await remove(record.id)
    app.clock.advance(day)
    expect(((await restore(record.id)).body as Body).lifecycle.decay.max_age_seconds).toBe(2 * 86_400)
    app.clock.advance(day)
    expect((await read(app, record.id)).salience).toBe(0)
  })

  it('restores a retracted record with its history', async () => {
    const { id } = await create(app, fact())
    const reason = { actor: 'ada', rationale: 'wrong' }
    await app.request('POST', `/v1/records/${id}/retract`, { body: reason })
    await remove(id)
    const { status, body } = await restore(id)
    expect({ status, body }).toMatchObject({ status: 200, body: { salience: 0, status: 'invalidated' } })
  })

  it('requires a forgotten record', async () => {
    const { id } = await create(app, fact())
    expectProblem(await restore(id), 409, 'record_not_forgotten')
    expectProblem(await restore(app.ids.next()), 404, 'record_not_found')
  })

  it('requires the lifecycle permission and the version in If-Match', async () => {
    const { id } = await forgotten()
    expectProblem(await restore(id, { key: await app.issueKey(['records:write']) }), 403, 'forbidden')
    expectProblem(await restore(id, { headers: { 'if-match': '"1"' } }), 412, 'version_mismatch')
    const key = await app.issueKey(['lifecycle:write'])
    expect((await restore(id, { key })).body).toEqual({ id, version: 3 })
  })
})
