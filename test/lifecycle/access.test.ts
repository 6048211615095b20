import { afterAll, describe, expect, it } from 'vitest'
import { create, expectProblem, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the access tests' } })
afterAll(() => app.close())

const access = (id: string, options = {}) => app.request('POST', `/v1/records/${id}/access`, options)
const logOf = (id: string) =>
  app.db
    .selectFrom('access_log')
    .where('record_id', '=', id)
    .select(['kind', 'actor', 'at'])
    .orderBy('at')
    .execute()

describe('POST /v1/records/{id}/access', () => {
  it('counts a use without a new version of the record', async () => {
    const before = await create(app, fact())
    app.clock.advance(60_000)
    const at = app.clock.now().toISOString()
    const { status, body } = await access(before.id, { body: { actor: 'agent-7' } })
    expect({ status, body }).toEqual({
      status: 200,
      body: { id: before.id, access_count: 1, last_accessed_at: at },
    })
    expect(await read(app, before.id)).toEqual({
      ...before,
      salience: expect.any(Number),
      importance: expect.any(Number),
      access_count: 1,
      last_accessed_at: at,
    })
    expect(await logOf(before.id)).toEqual([{ kind: 'used', actor: 'agent-7', at: app.clock.now() }])
  })

  it('ignores If-Match, as it changes no version', async () => {
    const { id } = await create(app, fact())
    expect((await access(id, { headers: { 'if-match': '"9"' } })).status).toBe(200)
  })

  it('needs no body, and names the key as actor', async () => {
    const { id } = await create(app, fact())
    expect((await access(id)).status).toBe(200)
    expect((await logOf(id)).map(({ actor }) => actor)).toEqual(['root'])
  })

  it('counts once for one Idempotency-Key', async () => {
    const { id } = await create(app, fact())
    const headers = { 'idempotency-key': 'access-once' }
    const first = await access(id, { headers })
    expect((await access(id, { headers })).body).toEqual(first.body)
    expect((await read(app, id)).access_count).toBe(1)
  })

  it('counts each of ten concurrent accesses', async () => {
    const { id } = await create(app, fact())
    await Promise.all(Array.from({ length: 10 }, () => access(id)))
    expect((await read(app, id)).access_count).toBe(10)
    expect(await logOf(id)).toHaveLength(10)
  })

  it('is refused for hidden, redacted and forgotten records', async () => {
    const { id } = await create(app, fact({ sensitivity: 'medium' }))
    const narrow = await app.issueKey(['lifecycle:write', 'records:read'])
    expectProblem(await access(id, { key: narrow }), 403, 'above_ceiling')
    const hidden = await create(app, fact({ sensitivity: 'hyper' }))
    expectProblem(await access(hidden.id, { key: narrow }), 404, 'record_not_found')
    await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=gone`)
    expectProblem(await access(id), 410, 'record_forgotten')
    expect(await logOf(id)).toEqual([])
  })

  it('logs accesses that an erase removes and its receipt counts', async () => {
    const { id } = await create(app, fact({ payload: { ...fact().payload, object: 'to be erased' } }))
    await access(id)
    await access(id)
    const body = { actor: 'ada', rationale: 'asked to' }
    const erased = await app.request('POST', `/v1/records/${id}/erase`, { body })
    expect(erased.body).toMatchObject({ removed: { access_rows: 2 } })
    expect(await logOf(id)).toEqual([])
  })
})

describe('accesses by lifecycle operations', () => {
  it('count a reinforcement as a use, but not a pin or a penalty', async () => {
    const { id } = await create(app, fact())
    const body = { actor: 'agent', rationale: 'it helped', amount: 0.1 }
    const { amount: _, ...reason } = body
    const reinforced = await app.request('POST', `/v1/records/${id}/reinforce`, { body: reason })
    expect(reinforced.body).toMatchObject({
      access_count: 1,
      last_accessed_at: app.clock.now().toISOString(),
    })
    await app.request('POST', `/v1/records/${id}/penalize`, { body })
    await app.request('POST', `/v1/records/${id}/pin`, { body: reason })
    expect(await read(app, id)).toMatchObject({ access_count: 1 })
    expect(await logOf(id)).toEqual([{ kind: 'used', actor: 'agent', at: app.clock.now() }])
  })
})
