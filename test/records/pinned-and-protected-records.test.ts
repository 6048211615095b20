import { afterAll, describe, expect, it } from 'vitest'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
  type Type,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const writer = await app.issueKey(['records:read', 'records:write'])
const keeper = await app.issueKey(['records:read', 'records:write', 'lifecycle:write'])
afterAll(() => app.close())

const patch = (id: string, lifecycle: object, key?: string) =>
  app.request('PATCH', `/v1/records/${id}`, { body: { lifecycle }, ...(key === undefined ? {} : { key }) })
const forget = (id: string, key: string) =>
  app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`, { key })

describe('a pinned record', () => {
  it.each([false, null])(
    'is not unpinned by a patch with pinned: %s when the key has only records:write',
    async (pinned) => {
      const record = await create(app, fact({ lifecycle: { pinned: true } }))
      expectProblem(await patch(record.id, { pinned }, writer), 403, 'forbidden')
      expectProblem(await forget(record.id, writer), 409, 'record_pinned')
      expect(await read(app, record.id)).toEqual(record)
      expect((await patch(record.id, { pinned }, keeper)).status).toBe(200)
      expect((await forget(record.id, writer)).status).toBe(200)
    },
  )

  it('can be pinned by a patch of a key that may pin', async () => {
    const { id } = await create(app, fact())
    expectProblem(await patch(id, { pinned: true }, writer), 403, 'forbidden')
    expect((await patch(id, { pinned: true }, keeper)).body).toMatchObject({ lifecycle: { pinned: true } })
    // A patch that repeats the current value changes nothing and needs no further permission.
    expect((await patch(id, { pinned: true }, writer)).status).toBe(200)
  })

  it('stays pinned when it is superseded', async () => {
    const { id } = await create(app, fact({ lifecycle: { pinned: true } }))
    const evidence = [{ source_type: 'observation', source_id: 'x', timestamp: '2026-01-01T00:00:00Z' }]
    const body = { record: fact({ payload: { ...payloads.semantic, evidence } }), actor: 'a', rationale: 'r' }
    expect((await app.request('POST', `/v1/records/${id}/supersede`, { key: writer, body })).status).toBe(201)
    expectProblem(await patch(id, { pinned: false }, writer), 403, 'forbidden')
    expectProblem(await forget(id, writer), 409, 'record_pinned')
  })
})

describe('a record with deletion policy never', () => {
  it.each(['auto_prune', 'manual_only', null])(
    'keeps its policy when a key without admin patches it to %s',
    async (deletion_policy) => {
      const record = await create(app, fact({ lifecycle: { deletion_policy: 'never' } }))
      for (const key of [writer, keeper]) {
        expectProblem(await patch(record.id, { deletion_policy }, key), 403, 'forbidden')
        expectProblem(await forget(record.id, key), 409, 'deletion_policy_never')
      }
      expect(await read(app, record.id)).toEqual(record)
      const admin = await app.issueKey(['admin'])
      expect((await patch(record.id, { deletion_policy }, admin)).status).toBe(200)
    },
  )

  it('gets that policy from any key that may write', async () => {
    const { id } = await create(app, fact())
    expect((await patch(id, { deletion_policy: 'manual_only' }, writer)).status).toBe(200)
    expect((await patch(id, { deletion_policy: 'never' }, writer)).status).toBe(200)
    expect((await patch(id, { deletion_policy: 'never' }, writer)).status).toBe(200)
  })
})

describe('a record that is history', () => {
  it.each(['entity', 'working'] as Type[])('takes no payload: %s', async (type) => {
    const { id } = await create(app, { type, payload: payloads[type] })
    const set = (status: string) =>
      app.request('POST', `/v1/records/${id}/status`, { body: { status, reason: 'r', actor: 'a' } })
    const payload = type === 'entity' ? { summary: 'another' } : { next_actions: ['another'] }
    const change = () => app.request('PATCH', `/v1/records/${id}`, { body: { payload } })
    await set('invalidated')
    const before: Body = await read(app, id)
    expectProblem(await change(), 409, 'record_retracted')
    expect(await read(app, id)).toEqual(before)
    expect((await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['old'] } })).status).toBe(200)
    await set('active')
    expect((await change()).status).toBe(200)
  })

  it('is not pinned by a patch, as by a call, but unpinned', async () => {
    const { id } = await create(app, fact({ lifecycle: { pinned: true } }))
    const body = { actor: 'a', rationale: 'r' }
    expect((await app.request('POST', `/v1/records/${id}/retract`, { body })).status).toBe(200)
    expect((await patch(id, { pinned: false })).status).toBe(200)
    const before: Body = await read(app, id)
    expectProblem(await patch(id, { pinned: true }), 409, 'record_retracted')
    expectProblem(await app.request('POST', `/v1/records/${id}/pin`, { body }), 409, 'record_retracted')
    expect(await read(app, id)).toEqual(before)
  })
})
