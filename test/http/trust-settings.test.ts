import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(() => app.close())

const policy = {
  decay: {
    curve: 'exponential',
    half_life_seconds: 60,
    min_salience: 0,
    max_age_seconds: 0,
    reinforcement_gain: 0.1,
    max_salience: 1,
  },
  deletion_policy: 'auto_prune',
}
const bound: [string, object][] = [
  ['bound to a scope', { scopes: ['a'], max_sensitivity: 'hyper' }],
  ['below the highest ceiling', { max_sensitivity: 'high' }],
]

describe.each(bound)('an admin key %s', (_, trust) => {
  it('changes neither a policy nor a schedule', async () => {
    const key = await app.issueKey(['admin'], trust)
    const before = (await app.request('GET', '/v1/policies/semantic')).text
    const put = await app.request('PUT', '/v1/policies/semantic', { key, body: policy })
    expectProblem(put, 403, 'outside_trust')
    const off = await app.request('PUT', '/v1/maintenance/schedules/decay', { key, body: { enabled: false } })
    expectProblem(off, 403, 'outside_trust')
    expect((await app.request('GET', '/v1/policies/semantic')).text).toBe(before)
  })

  it('finds, reads and revokes only keys that see no more than itself', async () => {
    const key = await app.issueKey(['admin'], trust)
    const body = { name: 'wider', permissions: ['records:read'], max_sensitivity: 'hyper' }
    const wider = (await app.request('POST', '/v1/keys', { body })).body as Body
    const own = (await app.request('POST', '/v1/keys', { key, body: { ...body, ...trust } })).body as Body
    const listed = (await app.request('GET', '/v1/keys?limit=500', { key })).text
    expect([listed.includes(wider.id), listed.includes(own.id)]).toEqual([false, true])
    expectProblem(await app.request('GET', `/v1/keys/${wider.id}`, { key }), 404, 'key_not_found')
    expectProblem(await app.request('DELETE', `/v1/keys/${wider.id}`, { key }), 404, 'key_not_found')
    expect((await app.request('GET', `/v1/keys/${wider.id}`)).status).toBe(200)
    expect((await app.request('DELETE', `/v1/keys/${own.id}`, { key })).status).toBe(204)
  })
})

describe('a tombstone', () => {
  const erase = async (more: object, object: string) => {
    const record = { payload: { kind: 'semantic', subject: 'ada', predicate: 'likes', object } }
    const { id } = await create(app, fact({ ...more, ...record }))
    const body = { actor: 'ada', rationale: 'asked for' }
    const { tombstone_ids: ids } = (await app.request('POST', `/v1/records/${id}/erase`, { body }))
      .body as Body
    return { tombstone: ids[0] as string, refused: () => fact({ ...record, scope: 'a' }) }
  }

  it('is listed and lifted by an admin of its scope and sensitivity', async () => {
    const key = await app.issueKey(['admin'], { scopes: ['a'] })
    const { tombstone } = await erase({ scope: 'a', sensitivity: 'low' }, 'go')
    expect((await app.request('GET', '/v1/tombstones', { key })).text).toContain(tombstone)
    expect((await app.request('DELETE', `/v1/tombstones/${tombstone}`, { key })).status).toBe(204)
  })

  it.each([
    ['of another scope', { scope: 'b', sensitivity: 'low' }],
    ['of no scope', { sensitivity: 'low' }],
    ['above the ceiling', { scope: 'a', sensitivity: 'high' }],
  ])('%s is neither listed nor lifted', async (name, where) => {
    const key = await app.issueKey(['admin'], { scopes: ['a'] })
    const { tombstone } = await erase(where, name)
    expect((await app.request('GET', '/v1/tombstones', { key })).text).not.toContain(tombstone)
    const lifted = await app.request('DELETE', `/v1/tombstones/${tombstone}`, { key })
    expectProblem(lifted, 404, 'tombstone_not_found')
  })

  it('refuses the content for every key of its scope and reveals nothing else', async () => {
    const key = await app.issueKey(['records:write'], { scopes: ['a'], max_sensitivity: 'public' })
    const { refused } = await erase({ scope: 'a', sensitivity: 'hyper' }, 'rust')
    const answer = await app.request('POST', '/v1/records', {
      key,
      body: { ...refused(), sensitivity: 'public' },
    })
    const problem = expectProblem(answer, 409, 'erased_content')
    expect(Object.keys(problem).sort()).toEqual(['code', 'detail', 'request_id', 'status', 'title', 'type'])
    expect((await app.request('POST', '/v1/records', { body: { ...refused(), scope: 'b' } })).status).toBe(
      201,
    )
  })
})

describe('a job that cannot be limited to a scope', () => {
  it.each(['purge', 'compress'])('%s cannot be run by a key of one scope', async (job) => {
    const key = await app.issueKey(['maintenance:run'], { scopes: ['a'], max_sensitivity: 'hyper' })
    for (const body of [{ job }, { job, scope: 'a' }]) {
      expectProblem(await app.request('POST', '/v1/maintenance/runs', { key, body }), 403, 'outside_trust')
    }
    const named = await app.request('POST', '/v1/maintenance/runs', { body: { job, scope: 'a' } })
    expectProblem(named, 422, 'validation_failed')
    expect((await app.request('POST', '/v1/maintenance/runs', { body: { job } })).status).toBe(202)
  })

  it('does not stop such a key from running the other jobs over its scope', async () => {
    const key = await app.issueKey(['maintenance:run', 'records:read'], { scopes: ['a'] })
    const { status, body } = await app.request('POST', '/v1/maintenance/runs', {
      key,
      body: { job: 'decay' },
    })
    expect([status, (body as Body).scope]).toEqual([202, 'a'])
    const foreign = (await app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } }))
      .body as Body
    const cancelled = await app.request('POST', `/v1/maintenance/runs/${foreign.id}/cancel`, {
      key,
      body: {},
    })
    expectProblem(cancelled, 404, 'run_not_found')
  })
})

describe('an edge to a record that only some readers of its source see', () => {
  it.each([
    ['more sensitive', { scope: 'a', sensitivity: 'high' }],
    ['of another scope', { scope: 'b', sensitivity: 'low' }],
  ])('changes the version of the target only, for a target that is %s', async (_, where) => {
    const source = await create(app, fact({ scope: 'a', sensitivity: 'low' }))
    const target = await create(app, fact(where))
    const path = `/v1/records/${source.id}/relations`
    const body = { predicate: 'supports', target_id: target.id }
    const { body: related } = await app.request('POST', path, { body })
    expect((related as Body).version).toBe(source.version)
    expect((related as Body).relations).toMatchObject([body])
    expect((await app.request('DELETE', `${path}/supports/${target.id}`)).status).toBe(204)
    const versionOf = async (id: string) =>
      ((await app.request('GET', `/v1/records/${id}`)).body as Body).version - 1
    expect([await versionOf(source.id), await versionOf(target.id)]).toEqual([0, 2])
  })
})

describe('an entity identifier', () => {
  const identified = (value: string, more: object) => ({
    type: 'entity',
    payload: {
      kind: 'entity',
      canonical_name: app.ids.next(),
      primary_type: 'Service',
      identifiers: [{ namespace: 'git', value }],
    },
    ...more,
  })
  const post = (body: object, options: object = {}) =>
    app.request('POST', '/v1/records', { ...options, body })

  it('can be used by a visible entity when a hidden one has it', async () => {
    const key = await app.issueKey(['records:write', 'records:read'], { scopes: ['a'] })
    await create(app, identified('acme/orion', { scope: 'a', sensitivity: 'hyper' }))
    expect((await post(identified('acme/orion', { scope: 'a', sensitivity: 'low' }), { key })).status).toBe(
      201,
    )
    const duplicate = await post(identified('acme/orion', { scope: 'a', sensitivity: 'low' }), { key })
    expectProblem(duplicate, 409, 'identifier_taken')
  })

  it('is checked again when the sensitivity of its entity changes', async () => {
    await create(app, identified('acme/vega', { scope: 'a', sensitivity: 'low' }))
    const high = await create(app, identified('acme/vega', { scope: 'a', sensitivity: 'high' }))
    const lowered = await app.request('PATCH', `/v1/records/${high.id}`, { body: { sensitivity: 'low' } })
    expectProblem(lowered, 409, 'identifier_taken')
    const raised = await app.request('PATCH', `/v1/records/${high.id}`, { body: { sensitivity: 'hyper' } })
    expect(raised.status).toBe(200)
    expect((await post(identified('acme/vega', { scope: 'a', sensitivity: 'high' }))).status).toBe(201)
  })

  it('is given to one entity of a sensitivity when several claim it at once', async () => {
    const body = () => identified('acme/race', { scope: 'a', sensitivity: 'medium' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(body())))
    expect(answers.filter(({ status }) => status === 201).length).toBe(1)
    expect(answers.filter(({ status }) => status === 409).length).toBe(5)
  })

  it('is unique, even if a process of the previous release stored the same entity', async () => {
    const { id } = await create(app, identified('acme/old', { scope: 'a', sensitivity: 'medium' }))
    await app.db.deleteFrom('entity_identifiers').where('record_id', '=', id).execute()
    const row = { record_id: id, scope: 'a', namespace: 'git', value: 'acme/old' }
    await app.db.insertInto('entity_identifiers').values(row).execute()
    const stored = await app.db
      .selectFrom('entity_identifiers')
      .where('record_id', '=', id)
      .selectAll()
      .execute()
    expect(stored).toEqual([{ ...row, sensitivity: 'medium' }])
  })
})
