import { afterAll, describe, expect, it } from 'vitest'
import { entity } from '../support/requests/entity-requests.ts'
import { type Body, create, expectProblem, fact, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the entity tests' } })
afterAll(() => app.close())

const day = 86_400_000
const lifecycle = (id: string, path: string, body: object) =>
  app.request('POST', `/v1/records/${id}/${path}`, { body })
const forget = (id: string) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)

describe('GET /v1/entities/{id}', () => {
  const get = (id: string, options: RequestOptions = {}) => app.request('GET', `/v1/entities/${id}`, options)

  it('answers the record and the id of its peer card', async () => {
    const record = await create(app, entity('Spica', {}, { scope: 'sky' }))
    const plain = await get(record.id)
    expect(plain.headers.get('etag')).toBe('"1"')
    expect(plain.body).toEqual(record)
    const about = { kind: 'semantic', subject: record.id, predicate: 'profile', object: 'a star' }
    const card = (more: object) => ({ type: 'semantic', tags: ['peer-card'], payload: about, ...more })
    await create(app, card({ scope: 'elsewhere' }))
    await create(app, card({ scope: 'sky', tags: [] }))
    await create(app, card({ scope: 'sky', payload: { ...about, predicate: 'note' } }))
    expect((await get(record.id)).body).toEqual(record)
    const older = await create(app, card({ scope: 'sky' }))
    app.clock.advance(1_000)
    const secret = await create(app, card({ scope: 'sky', sensitivity: 'medium' }))
    expect((await get(record.id)).body).toMatchObject({ id: record.id, peer_card_id: secret.id })
    const low = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    expect((await get(record.id, { key: low })).body).toMatchObject({ peer_card_id: older.id })
    await forget(secret.id)
    await lifecycle(older.id, 'status', { status: 'invalidated', reason: 'r', actor: 'a' })
    expect((await get(record.id)).body).not.toHaveProperty('peer_card_id')
  })

  it('answers entities only, hidden and deleted like any record', async () => {
    const other = await create(app, fact())
    expectProblem(await get(other.id), 404, 'record_not_found')
    expectProblem(await get(app.ids.next()), 404, 'record_not_found')
    const { id } = await create(app, entity('Castor', {}, { sensitivity: 'medium' }))
    const [low, lower] = await Promise.all([
      app.issueKey(['records:read'], { max_sensitivity: 'low' }),
      app.issueKey(['records:read'], { max_sensitivity: 'public' }),
    ])
    expect((await get(id, { key: low })).body).toMatchObject({ id, redacted: true })
    expectProblem(await get(id, { key: lower }), 404, 'record_not_found')
    await forget(id)
    await forget(other.id)
    expectProblem(await get(id), 410, 'record_forgotten')
    expectProblem(await get(other.id), 404, 'record_not_found')
    expectProblem(await app.request('GET', `/v1/entities/${id}/records`), 410, 'record_forgotten')
    app.clock.advance(365 * day)
    expectProblem(await get(id), 410, 'record_purged')
  })
})

describe('GET /v1/entities/{id}/records', () => {
  const list = async (id: string, query = '', options: RequestOptions = {}): Promise<Body> => {
    const answer = await app.request('GET', `/v1/entities/${id}/records${query}`, options)
    expect(answer.status).toBe(200)
    return answer.body
  }
  const about = (id: string, predicates: readonly string[], more: object = {}) => {
    app.clock.advance(1_000)
    const relations = predicates.map((predicate) => ({ predicate, target_id: id }))
    return create(app, fact({ relations, ...more }))
  }

  it('lists facts about the entity and records that mention it once, newest first', async () => {
    const { id } = await create(app, entity('Pollux'))
    const mention = await about(id, ['mentions_entity'])
    const both = await about(id, ['mentions_entity', 'subject_entity', 'object_entity'])
    const object = await about(id, ['object_entity'])
    await about(id, ['supports', 'caused_by', 'about'])
    const old = await about(id, ['mentions_entity'], { created_at: '2020-01-01T00:00:00.000Z' })
    expect((await list(id)).items.map((item: Body) => item.id)).toEqual(
      [object, both, mention, old].map((each) => each.id),
    )
    expect((await list(id)).items[1]).toEqual(await read(app, both.id))
    const of = async (predicate: string) =>
      (await list(id, `?predicate=${predicate}`)).items.map((item: Body) => item.id)
    expect(await of('subject_entity')).toEqual([both.id])
    expect(await of('mentions_entity')).toEqual([both.id, mention.id, old.id])
    const bad = await app.request('GET', `/v1/entities/${id}/records?predicate=supports`)
    expectProblem(bad, 422, 'validation_failed')
  })

  it('pages records of one instant without gaps or repetitions', async () => {
    const { id } = await create(app, entity('Mira'))
    const records = Array.from({ length: 8 }, () =>
      fact({ relations: [{ predicate: 'mentions_entity', target_id: id }] }),
    )
    await app.request('POST', '/v1/records/batch', { body: { records } })
    const all = (await list(id)).items.map((item: Body) => item.id)
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await list(id, `?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...page.items.map((item: Body) => item.id))
      if (seen.length === 3) await about(id, ['mentions_entity'])
      cursor = page.next_cursor
    }
    expect(seen).toEqual(all)
    expect(all).toHaveLength(8)
  })

  it('lists only active records that the caller sees', async () => {
    const { id } = await create(app, entity('Bellatrix', {}, { scope: 'mine' }))
    const open = await about(id, ['mentions_entity'], { scope: 'mine' })
    const redacted = await about(id, ['mentions_entity'], { scope: 'mine', sensitivity: 'medium' })
    await about(id, ['mentions_entity'], { scope: 'theirs' })
    await about(id, ['mentions_entity'], { scope: 'mine', sensitivity: 'high' })
    const gone = await about(id, ['mentions_entity'], { scope: 'mine' })
    await forget(gone.id)
    const key = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'low' })
    const { items } = await list(id, '', { key })
    expect(items.map((item: Body) => [item.id, item.redacted])).toEqual([
      [redacted.id, true],
      [open.id, undefined],
    ])
    expect((await list(id)).items).toHaveLength(4)
    const above = await create(app, entity('Saiph', {}, { sensitivity: 'medium' }))
    expectProblem(await app.request('GET', `/v1/entities/${above.id}/records`, { key }), 403, 'above_ceiling')
    const other = await app.request('GET', `/v1/entities/${open.id}/records`)
    expectProblem(other, 404, 'record_not_found')
  })
})
