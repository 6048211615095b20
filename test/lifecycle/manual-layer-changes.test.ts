import { afterAll, describe, expect, it } from 'vitest'
import type { Layer } from '../../src/domain/importance/importance.ts'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  pointersOf,
  read,
} from '../support/requests/record-requests.ts'
import { type Answer, type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const layers: readonly Layer[] = ['working', 'episodic', 'semantic', 'procedural', 'codebase']

const auditFields = { actor: 'curator', rationale: 'it belongs there' }
const move = (id: string, way: string, more: object = {}, options: RequestOptions = {}): Promise<Answer> =>
  app.request('POST', `/v1/records/${id}/${way}`, { ...options, body: { ...auditFields, ...more } })
const store = (layer: Layer, more: object = {}): Promise<Body> =>
  create(app, { type: 'episodic', payload: payloads.episodic, layer, ...more })
const promotionsOf = (record: Body): Body[] =>
  record.audit_log.filter(({ action }: Body) => action === 'promote' || action === 'demote')

describe('POST /v1/records/{id}/promote and /demote', () => {
  const steps = [
    ['promote', 'working', 'episodic'],
    ['promote', 'episodic', 'semantic'],
    ['demote', 'semantic', 'episodic'],
    ['demote', 'episodic', 'working'],
  ] as const

  it.each(steps)('%s moves a record from %s to %s', async (way, from, to) => {
    const { id } = await store(from)
    const before = await read(app, id)
    const answer = await move(id, way)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBe('"2"')
    expect(answer.body).toMatchObject({ layer: to, version: 2 })
    expect(promotionsOf(answer.body)).toMatchObject([
      { action: way, actor: 'curator', rationale: 'it belongs there', changes: { layer: [from, to] } },
    ])
    expect(await read(app, id)).toEqual(answer.body)
    // The layer is a factor of importance, which is updated at once.
    const rose = (answer.body as Body).importance - before.importance
    expect(Math.sign(rose)).toBe(way === 'promote' ? 1 : -1)
  })

  it.each([
    ['promote', 'semantic'],
    ['promote', 'procedural'],
    ['promote', 'codebase'],
    ['demote', 'working'],
    ['demote', 'procedural'],
    ['demote', 'codebase'],
  ] as const)('%s has no next layer from %s unless the request names one', async (way, from) => {
    const { id } = await store(from)
    expect(expectProblem(await move(id, way), 409, 'no_further_layer').layer).toBe(from)
    expect(await read(app, id)).toMatchObject({ layer: from, version: 1 })
    expect((await move(id, way, { layer: 'episodic' })).body).toMatchObject({ layer: 'episodic', version: 2 })
  })

  it('move a record to any named layer, and do nothing for its own layer', async () => {
    for (const from of layers) {
      for (const to of layers) {
        const { id } = await store(from)
        const { status, body } = await move(id, 'promote', { layer: to })
        expect(status).toBe(200)
        expect(body).toMatchObject({ layer: to, version: from === to ? 1 : 2 })
        expect(promotionsOf(await read(app, id))).toHaveLength(from === to ? 0 : 1)
      }
    }
  })

  it('refuse an unknown layer and a missing reason', async () => {
    const { id } = await store('working')
    const unknown = await move(id, 'promote', { layer: 'eternal' })
    expectProblem(unknown, 422, 'validation_failed')
    expect(pointersOf(unknown)).toEqual(['/layer'])
    const silent = await app.request('POST', `/v1/records/${id}/demote`, { body: { layer: 'semantic' } })
    expect(pointersOf(silent).sort()).toEqual(['/actor', '/rationale'])
    expect(await read(app, id)).toMatchObject({ layer: 'working', version: 1 })
  })

  it('take effect once under an Idempotency-Key, at the version in If-Match, with permission', async () => {
    const { id } = await store('working')
    const headers = { 'idempotency-key': `layer-${id}`, 'if-match': '"1"' }
    const first = await move(id, 'promote', {}, { headers })
    const again = await move(id, 'promote', {}, { headers })
    expect(again.body).toEqual(first.body)
    expectProblem(await move(id, 'promote', {}, { headers: { 'if-match': '"1"' } }), 412, 'version_mismatch')
    const writer = await app.issueKey(['records:read', 'records:write'])
    expectProblem(await move(id, 'demote', {}, { key: writer }), 403, 'forbidden')
    const stranger = await app.issueKey(['lifecycle:write'], { scopes: ['elsewhere'] })
    const { id: theirs } = await store('working', { scope: 'here' })
    expectProblem(await move(theirs, 'promote', {}, { key: stranger }), 404, 'record_not_found')
    expect(await read(app, id)).toMatchObject({ layer: 'episodic', version: 2 })
    expect(promotionsOf(await read(app, id))).toHaveLength(1)
  })

  it('refuse a forgotten record', async () => {
    const { id } = await store('working')
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
    expectProblem(await move(id, 'promote'), 410, 'record_forgotten')
  })

  it('take one step for each of twenty concurrent requests until there is no further layer', async () => {
    const { id } = await store('working')
    const answers = await Promise.all(Array.from({ length: 20 }, () => move(id, 'promote')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, ...Array(18).fill(409)])
    expect(promotionsOf(await read(app, id)).map(({ changes }) => changes.layer)).toEqual([
      ['working', 'episodic'],
      ['episodic', 'semantic'],
    ])
  })
})
