import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Layer } from '../../src/cognition/importance.ts'
import { type Answer, type Asked, startTestApp, type TestApp } from '../support/http.ts'
import { type Body, create, expectProblem, payloads, pointersOf, read } from '../support/records.ts'
import { hireFor } from '../support/workshop.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const minute = 60_000
const hour = 60 * minute
const layers: readonly Layer[] = ['working', 'episodic', 'semantic', 'procedural', 'codebase']

const said = { actor: 'curator', rationale: 'it belongs there' }
const move = (id: string, way: string, more: object = {}, asked: Asked = {}): Promise<Answer> =>
  app.request('POST', `/v1/records/${id}/${way}`, { ...asked, body: { ...said, ...more } })
const store = (layer: Layer, more: object = {}): Promise<Body> =>
  create(app, { type: 'episodic', payload: payloads.episodic, layer, ...more })
const use = async (id: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) {
    expect((await app.request('POST', `/v1/records/${id}/access`)).status).toBe(200)
  }
}
const promotionsOf = (record: Body): Body[] =>
  record.audit_log.filter(({ action }: Body) => action === 'promote' || action === 'demote')
const decay = async (): Promise<void> => {
  await app.services.maintenance.request({ caller: root }, { job: 'decay' })
  await hireFor(app).attend('decay', new AbortController().signal)
}
const root = {
  ...{
    principal: 'root',
    name: 'root',
    permissions: new Set(['admin'] as const),
    sourceType: 'human' as const,
  },
  trust: { maxSensitivity: 'hyper' as const, scopes: null },
}

describe('a layer that a person moves', () => {
  const steps = [
    ['promote', 'working', 'episodic'],
    ['promote', 'episodic', 'semantic'],
    ['demote', 'semantic', 'episodic'],
    ['demote', 'episodic', 'working'],
  ] as const

  it.each(steps)('is by %s from %s %s', async (way, from, to) => {
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
    // The layer is a factor of importance, which follows at once.
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
  ] as const)('has no step by %s from %s unless one is named', async (way, from) => {
    const { id } = await store(from)
    expect(expectProblem(await move(id, way), 409, 'no_further_layer').layer).toBe(from)
    expect(await read(app, id)).toMatchObject({ layer: from, version: 1 })
    expect((await move(id, way, { layer: 'episodic' })).body).toMatchObject({ layer: 'episodic', version: 2 })
  })

  it('is any that is named, and itself without a trace', async () => {
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

  it('is refused where it is none, or nobody says why', async () => {
    const { id } = await store('working')
    const unknown = await move(id, 'promote', { layer: 'eternal' })
    expectProblem(unknown, 422, 'validation_failed')
    expect(pointersOf(unknown)).toEqual(['/layer'])
    const silent = await app.request('POST', `/v1/records/${id}/demote`, { body: { layer: 'semantic' } })
    expect(pointersOf(silent).sort()).toEqual(['/actor', '/rationale'])
    expect(await read(app, id)).toMatchObject({ layer: 'working', version: 1 })
  })

  it('moves once for all the times it is asked, at the version it names, and by who may', async () => {
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

  it('is no longer that of what is forgotten', async () => {
    const { id } = await store('working')
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
    expectProblem(await move(id, 'promote'), 410, 'record_forgotten')
  })

  it('takes one step for each of twenty who ask at the same moment, and no more than there are', async () => {
    const { id } = await store('working')
    const answers = await Promise.all(Array.from({ length: 20 }, () => move(id, 'promote')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, ...Array(18).fill(409)])
    expect(promotionsOf(await read(app, id)).map(({ changes }) => changes.layer)).toEqual([
      ['working', 'episodic'],
      ['episodic', 'semantic'],
    ])
  })
})

describe('a layer that a memory comes to by itself', () => {
  it('is episodic at the second use', async () => {
    const { id } = await store('working')
    await use(id, 1)
    expect(await read(app, id)).toMatchObject({ layer: 'working', version: 1 })
    await use(id, 1)
    const risen = await read(app, id)
    expect(risen).toMatchObject({ layer: 'episodic', version: 2 })
    expect(promotionsOf(risen)).toMatchObject([
      { action: 'promote', actor: 'cognition', changes: { layer: ['working', 'episodic'] } },
    ])
    expect(promotionsOf(risen)[0].rationale).toBe('30 minutes old, or accessed 2 times')
  })

  it('is episodic half an hour old, at the next decay run', async () => {
    const { id } = await store('working')
    app.clock.advance(30 * minute - 1)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'working' })
    app.clock.advance(1)
    await decay()
    const { run_id, ...entry } = promotionsOf(await read(app, id))[0]
    expect(entry).toMatchObject({ action: 'promote', changes: { layer: ['working', 'episodic'] } })
    const { body } = await app.request('GET', `/v1/maintenance/runs/${run_id}/changes`)
    expect((body as Body).items).toContainEqual({
      ...{ record_id: id, action: 'promote' },
      ...{ before: { layer: 'working' }, after: { layer: 'episodic' } },
    })
    const { stats, progress } = (await app.request('GET', `/v1/maintenance/runs/${run_id}`)).body as Body
    expect(stats.promoted_episodic).toBeGreaterThan(0)
    expect(progress.done).toBe(progress.total)
  })

  it('is semantic at the fifth use of what matters, and not of what does not', async () => {
    const matters = await store('episodic', { base_importance: 1, emotional_valence: 1 })
    const does_not = await store('episodic', { base_importance: 0.1 })
    await use(matters.id, 4)
    expect(await read(app, matters.id)).toMatchObject({ layer: 'episodic' })
    await use(matters.id, 1)
    await use(does_not.id, 8)
    const risen = await read(app, matters.id)
    expect(risen).toMatchObject({ layer: 'semantic', access_count: 5 })
    expect(risen.importance).toBeGreaterThanOrEqual(0.7)
    expect(await read(app, does_not.id)).toMatchObject({ layer: 'episodic', version: 1 })
  })

  it('follows from a reinforcement too, and the answer shows it', async () => {
    const { id } = await store('working')
    await use(id, 1)
    const { body, headers } = await app.request('POST', `/v1/records/${id}/reinforce`, { body: said })
    expect(body).toMatchObject({ layer: 'episodic', version: 3, access_count: 2 })
    expect(headers.get('etag')).toBe('"3"')
    expect(await read(app, id)).toEqual(body)
  })

  it('follows from a patch that makes it matter, and the answer shows it', async () => {
    const { id } = await store('episodic', { base_importance: 0.1 })
    await use(id, 5)
    const patch = { base_importance: 1, emotional_valence: 1 }
    const { body, headers } = await app.request('PATCH', `/v1/records/${id}`, { body: patch })
    expect(body).toMatchObject({ layer: 'semantic', version: 3 })
    expect(headers.get('etag')).toBe('"3"')
    expect(await read(app, id)).toEqual(body)
  })

  it('never is another of what is pinned', async () => {
    const working = await store('working', { lifecycle: { pinned: true } })
    const pinned = { lifecycle: { pinned: true }, base_importance: 1, emotional_valence: 1 }
    const episodic = await store('episodic', pinned)
    await use(working.id, 3)
    await use(episodic.id, 6)
    app.clock.advance(hour)
    await decay()
    expect(await read(app, working.id)).toMatchObject({ layer: 'working', version: 1 })
    expect(await read(app, episodic.id)).toMatchObject({ layer: 'episodic', version: 1 })
  })

  it('never is another of what was withdrawn', async () => {
    const { id } = await store('working')
    await app.request('POST', `/v1/records/${id}/status`, {
      body: { status: 'invalidated', actor: 'a', reason: 'b' },
    })
    app.clock.advance(hour)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'working' })
  })
})

describe('a memory that a person demoted', () => {
  it('is not carried up again by its past', async () => {
    const { id } = await store('semantic', { base_importance: 1, emotional_valence: 1 })
    await use(id, 9)
    app.clock.advance(hour)
    expect((await move(id, 'demote')).body).toMatchObject({ layer: 'episodic' })
    await use(id, 4)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'episodic' })
    app.clock.advance(1_000)
    await use(id, 5)
    expect(await read(app, id)).toMatchObject({ layer: 'semantic' })
  })

  it('is as young as that in the working layer', async () => {
    const { id } = await store('episodic')
    await use(id, 3)
    app.clock.advance(24 * hour)
    await move(id, 'demote')
    app.clock.advance(29 * minute)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'working' })
    app.clock.advance(minute)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'episodic' })
  })

  it('takes one step where a person puts it back, and the past does not take the next', async () => {
    const { id } = await store('semantic', { base_importance: 1, emotional_valence: 1 })
    await use(id, 9)
    await move(id, 'demote', { layer: 'working' })
    await move(id, 'promote')
    app.clock.advance(hour)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'episodic' })
  })
})
