import { afterAll, describe, expect, it } from 'vitest'
import { entity, mergeEntities } from '../support/requests/entity-requests.ts'
import { create, expectProblem, fact, payloads, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const merge = (id: string, sourceIds: readonly string[], options: RequestOptions = {}) =>
  mergeEntities(app, id, sourceIds, options)

const setStatus = (id: string, status: string) =>
  app.request('POST', `/v1/records/${id}/status`, { body: { status, reason: 'r', actor: 'a' } })

describe('POST /v1/entities/{id}/merge', () => {
  it('requires active entities of one scope that are at most as sensitive as the target', async () => {
    const target = await create(app, entity('Lepus', {}, { scope: 'sky' }))
    const createSource = async (outside: object = {}) =>
      (await create(app, entity('Hare', {}, { scope: 'sky', ...outside }))).id
    const other = await create(app, fact({ scope: 'sky' }))
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic, scope: 'sky' })
    const good = await createSource()
    for (const stray of [other, episode]) {
      const refused = expectProblem(await merge(target.id, [good, stray.id]), 409, 'type_mismatch')
      expect(refused.errors[0].pointer).toBe('/source_ids/1')
      expectProblem(await merge(stray.id, [good]), 409, 'type_mismatch')
    }
    for (const scope of ['elsewhere', undefined]) {
      const { id } = await create(app, entity('Hare', {}, scope === undefined ? {} : { scope }))
      expectProblem(await merge(target.id, [good, id]), 422, 'scope_mismatch')
    }
    const retracted = await createSource()
    await setStatus(retracted, 'invalidated')
    expectProblem(await merge(target.id, [good, retracted]), 409, 'already_retracted')
    expectProblem(await merge(retracted, [good]), 409, 'already_retracted')
    const key = await app.issueKey(['records:read', 'records:write'], { max_sensitivity: 'medium' })
    const medium = await createSource({ sensitivity: 'medium' })
    expectProblem(await merge(target.id, [good, medium], { key }), 422, 'sensitivity_lowered')
    expectProblem(await merge(target.id, [good, target.id]), 422, 'validation_failed')
    expectProblem(await merge(target.id, []), 422, 'validation_failed')
    expect(await read(app, target.id)).toEqual(target)
    expect(await read(app, good)).toMatchObject({ status: 'active', version: 1 })
    expect((await merge(target.id, [good, medium])).status).toBe(200)
  })

  it('requires that the key sees and may change every entity', async () => {
    const permissions = ['records:read', 'records:write'] as const
    const [reader, writer, low] = await Promise.all([
      app.issueKey(['records:read', 'lifecycle:write']),
      app.issueKey(['records:write'], { scopes: ['sky'] }),
      app.issueKey(permissions, { scopes: ['sky'], max_sensitivity: 'low' }),
    ])
    const make = async (name: string, outside: object) => (await create(app, entity(name, {}, outside))).id
    const target = await make('Grus', { scope: 'sky' })
    const source = await make('Crane', { scope: 'sky' })
    const hidden = await make('Crane', { scope: 'elsewhere' })
    const above = await make('Crane', { scope: 'sky', sensitivity: 'medium' })
    const gone = await make('Crane', { scope: 'sky' })
    await app.request('DELETE', `/v1/records/${gone}?actor=a&rationale=r`)
    expectProblem(await merge(target, [source], { key: reader }), 403, 'forbidden')
    expectProblem(await merge(target, [source, hidden], { key: low }), 404, 'record_not_found')
    expectProblem(await merge(hidden, [source], { key: low }), 404, 'record_not_found')
    expectProblem(await merge(target, [source, app.ids.next()]), 404, 'record_not_found')
    expectProblem(await merge(target, [source, above], { key: low }), 403, 'above_ceiling')
    expectProblem(await merge(target, [source, gone]), 410, 'record_forgotten')
    expect((await merge(target, [source], { key: writer })).body).toEqual({ id: target, version: 2 })
  })
})
