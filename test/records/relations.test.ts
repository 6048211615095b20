import { afterAll, describe, expect, it } from 'vitest'
import { importLines } from '../support/requests/export-and-import.ts'
import {
  type Body,
  countRows,
  create,
  expectProblem,
  fact,
  payloads,
  pointersOf,
  read,
} from '../support/requests/record-requests.ts'
import { insertEdges } from '../support/stores/insert-edges.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const relate = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', `/v1/records/${id}/relations`, { body, headers })
const unrelate = (id: string, predicate: string, target: string) =>
  app.request('DELETE', `/v1/records/${id}/relations/${encodeURIComponent(predicate)}/${target}`)

async function pair(): Promise<[Body, Body]> {
  return [await create(app, fact()), await create(app, fact())]
}

describe('a record with hundreds of edges', () => {
  it('embeds a thousand edges and pages all of them', async () => {
    const hub = await create(app, { type: 'entity', payload: { ...payloads.entity, canonical_name: 'hub' } })
    const records = Array.from({ length: 105 }, () => fact())
    const { body: batch } = await app.request('POST', '/v1/records/batch', { body: { records } })
    const pairs = (batch as Body).results.map(({ record }: Body) => [hub.id, record.id] as const)
    for (let nth = 0; nth < 10; nth++) await insertEdges(app, [`near_${nth}`, `near_${nth}_to`], pairs)
    const { relations } = await read(app, hub.id)
    expect(relations).toHaveLength(1_000)
    const edges = relations.map(({ predicate, target_id: target }: Body) => `${predicate} ${target}`)
    expect(new Set(edges).size).toBe(1_000)
    let paged = 0
    for (let next: string | undefined = `/v1/records/${hub.id}/relations?limit=500`; next !== undefined; ) {
      const { body } = await app.request('GET', next)
      const { items, next_cursor: cursor } = body as Body
      paged += items.length
      next = cursor && `/v1/records/${hub.id}/relations?limit=500&cursor=${encodeURIComponent(cursor)}`
    }
    expect(paged).toBe(1_050)
  })
})

describe('POST /v1/records/{id}/relations', () => {
  it('changes nothing when the edge has this weight already', async () => {
    const [source, target] = await pair()
    const body = { predicate: 'depends_on', target_id: target.id, weight: 0.25 }
    expect((await relate(source.id, body)).status).toBe(201)
    const before = await read(app, source.id)
    const again = await relate(source.id, { ...body, actor: 'another' })
    expect(again).toMatchObject({ status: 200, body: { id: source.id, version: 2 } })
    expect(await read(app, source.id)).toEqual(before)
    expect((await relate(source.id, { ...body, weight: 0.5 })).body).toMatchObject({ version: 3 })
  })

  it('says which of the two records is missing', async () => {
    const [source, target] = await pair()
    const edgeTo = (target_id: string) => ({ predicate: 'depends_on', target_id })
    const unknown = await relate(source.id, edgeTo('0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'))
    expectProblem(unknown, 404, 'record_not_found')
    await app.request('DELETE', `/v1/records/${target.id}?actor=a&rationale=r`)
    const forgotten = await relate(source.id, edgeTo(target.id))
    expectProblem(forgotten, 410, 'record_forgotten')
    for (const answer of [unknown, forgotten]) expect(pointersOf(answer)).toEqual(['/target_id'])
    expect((await relate(target.id, edgeTo(source.id))).body).not.toHaveProperty('errors')
  })

  it('writes both directions, audits the source, and removes both on delete', async () => {
    const [source, target] = await pair()
    const answer = await relate(source.id, {
      predicate: 'depends_on',
      target_id: target.id,
      weight: 0.25,
      actor: 'planner',
      rationale: 'it said so',
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('etag')).toBe('"2"')
    expect(answer.body).toMatchObject({
      version: 2,
      relations: [{ predicate: 'depends_on', target_id: target.id, weight: 0.25 }],
    })
    expect((answer.body as Body).audit_log[1]).toMatchObject({
      action: 'revise',
      actor: 'planner',
      rationale: 'it said so',
      changes: { [`relations.depends_on.${target.id}`]: [null, 0.25] },
    })
    const back = await read(app, target.id)
    expect(back).toMatchObject({
      version: 1,
      relations: [{ predicate: 'dependency_of', target_id: source.id }],
    })
    expect((await unrelate(target.id, 'dependency_of', source.id)).status).toBe(204)
    expect((await read(app, source.id)).relations).toEqual([])
    expectProblem(await unrelate(source.id, 'depends_on', target.id), 404, 'relation_not_found')
  })

  it('updates the weight in both directions when the edge exists', async () => {
    const [source, target] = await pair()
    await relate(source.id, { predicate: 'uses', target_id: target.id })
    const again = await relate(source.id, { predicate: 'uses', target_id: target.id, weight: 0 })
    expect(again.status).toBe(200)
    expect((again.body as Body).relations).toMatchObject([{ weight: 0 }])
    expect((await read(app, target.id)).relations).toMatchObject([{ predicate: 'used_by', weight: 0 }])
  })

  it('writes one direction for an unknown predicate', async () => {
    const [source, target] = await pair()
    const predicate = 'is / "like" ü%?'
    await relate(source.id, { predicate, target_id: target.id })
    expect((await read(app, target.id)).relations).toEqual([])
    expect((await unrelate(source.id, predicate, target.id)).status).toBe(204)
  })

  it.each(['.', '..'])('refuses %j, which no URL can name, except in an import', async (predicate) => {
    const [source, target] = await pair()
    const relation = { predicate, target_id: target.id }
    expect(pointersOf(await relate(source.id, relation))).toEqual(['/predicate'])
    const body = { ...fact(), relations: [relation] }
    const refused = await app.request('POST', '/v1/records', { body })
    expect(pointersOf(refused)).toEqual(['/relations/0/predicate'])
    expect((await importLines(app, [body])).summary).toMatchObject({ created: 1 })
  })

  it('requires an existing target', async () => {
    const [source] = await pair()
    const body = { predicate: 'uses', target_id: app.ids.next() }
    expectProblem(await relate(source.id, body), 404, 'record_not_found')
    expectProblem(await relate(source.id, { predicate: '', target_id: 'x' }), 422, 'validation_failed')
    expect((await read(app, source.id)).version).toBe(1)
  })

  it('requires the version in If-Match', async () => {
    const [source, target] = await pair()
    const body = { predicate: 'uses', target_id: target.id }
    expectProblem(await relate(source.id, body, { 'if-match': '"2"' }), 412, 'version_mismatch')
  })

  it('writes one pair for twenty concurrent requests from both ends', async () => {
    const [source, target] = await pair()
    const before = await countRows(app, 'relations')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2
          ? relate(source.id, { predicate: 'supports', target_id: target.id })
          : relate(target.id, { predicate: 'supported_by', target_id: source.id }),
      ),
    )
    for (const answer of answers) expect([200, 201]).toContain(answer.status)
    expect(await countRows(app, 'relations')).toBe(before + 2)
  })
})

describe('GET /v1/records/{id}/relations', () => {
  it('pages the edges from and to the record, filtered by predicate', async () => {
    const hub = await create(app, fact())
    const spokes: Body[] = []
    for (let index = 0; index < 12; index++) {
      const relations = [{ predicate: index % 2 ? 'supports' : 'likes', target_id: hub.id }]
      spokes.push(await create(app, fact({ relations })))
    }
    const walk = async (query: string) => {
      const items: Body[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = cursor === '' ? '' : `&cursor=${cursor}`
        const { body } = await app.request('GET', `/v1/records/${hub.id}/relations?limit=5&${query}${page}`)
        items.push(...(body as Body).items)
        cursor = (body as Body).next_cursor
      }
      return items
    }
    const incoming = await walk('direction=in')
    expect(incoming.map((edge) => edge.source_id).sort()).toEqual(spokes.map((spoke) => spoke.id).sort())
    expect(await walk('direction=in&predicate=likes')).toHaveLength(6)
    const outgoing = await walk('direction=out')
    expect(outgoing).toHaveLength(6)
    expect(outgoing.every((edge) => edge.predicate === 'supported_by' && edge.source_id === hub.id)).toBe(
      true,
    )
  })
})

describe('lifecycle policies', () => {
  const path = '/v1/policies'

  it('have a default for each type', async () => {
    const { body } = await app.request('GET', path)
    const shipped = (body as Body).items.map(({ type, decay }: Body) => [
      type,
      decay.curve,
      decay.half_life_seconds,
      decay.reinforcement_gain,
      decay.min_salience,
    ])
    expect(shipped).toEqual([
      ['episodic', 'exponential', 259_200, 0.1, 0],
      ['working', 'linear', 14_400, 0, 0],
      ['entity', 'exponential', 2_592_000, 0.1, 0],
      ['semantic', 'exponential', 2_592_000, 0.1, 0],
      ['competence', 'exponential', 2_592_000, 0.1, 0],
      ['plan_graph', 'exponential', 2_592_000, 0.1, 0],
    ])
  })

  it('can be replaced by an admin and apply to the next create', async () => {
    const { body } = await app.request('GET', `${path}/working`)
    const { type: _, ...policy } = body as Body
    const changed = { ...policy, decay: { ...policy.decay, half_life_seconds: 7_200, max_salience: null } }
    const key = await app.issueKey(['records:read', 'records:write'])
    expectProblem(await app.request('PUT', `${path}/working`, { key, body: changed }), 403, 'forbidden')
    const put = await app.request('PUT', `${path}/working`, { body: changed })
    expect(put.body).toEqual({ type: 'working', ...changed })
    expect((await app.request('GET', `${path}/working`, { key })).body).toEqual(put.body)
    const record = await create(app, {
      type: 'working',
      payload: { kind: 'working', thread_id: 't', state: 'done' },
    })
    expect(record.lifecycle.decay).toEqual(changed.decay)
  })

  it('are refused when they are incomplete, invalid or of an unknown type', async () => {
    const ask = (type: string, body: unknown) => app.request('PUT', `${path}/${type}`, { body })
    expectProblem(await ask('working', { deletion_policy: 'never' }), 422, 'validation_failed')
    expectProblem(await ask('dream', {}), 404, 'route_not_found')
    expectProblem(await app.request('DELETE', `${path}/working`), 405, 'method_not_allowed')
  })
})
