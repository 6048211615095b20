import { afterAll, describe, expect, it } from 'vitest'
import type { Layer } from '../../src/domain/importance/importance.ts'
import { rootCaller } from '../support/apps/root-caller.ts'
import { type Body, create, payloads, read } from '../support/requests/record-requests.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const app = await startTestApp()
afterAll(() => app.close())

const minute = 60_000
const hour = 60 * minute

const auditFields = { actor: 'curator', rationale: 'it belongs there' }
const move = (id: string, way: string, more: object = {}): Promise<Answer> =>
  app.request('POST', `/v1/records/${id}/${way}`, { body: { ...auditFields, ...more } })
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
  await app.services.maintenance.request({ caller: rootCaller }, { job: 'decay' })
  await createWorkerFor(app).runJob('decay', new AbortController().signal)
}

describe('automatic promotion', () => {
  it('moves a working record to episodic at its second use', async () => {
    const { id } = await store('working')
    await use(id, 1)
    expect(await read(app, id)).toMatchObject({ layer: 'working', version: 1 })
    await use(id, 1)
    const risen = await read(app, id)
    expect(risen).toMatchObject({ layer: 'episodic', version: 2 })
    expect(promotionsOf(risen)).toMatchObject([
      { action: 'promote', actor: 'cognition', changes: { layer: ['working', 'episodic'] } },
    ])
    expect(promotionsOf(risen)[0].rationale).toBe('30 minutes old, or used 2 times')
  })

  it('counts four served accesses as one use', async () => {
    const { id } = await store('working', { scope: 'shown' })
    const showToNewKey = async () => {
      const key = await app.issueKey(['records:read'], { scopes: ['shown'], max_sensitivity: 'hyper' })
      await app.request('POST', '/v1/retrieve', { body: {}, key })
      await app.services.access.flush()
    }
    for (let time = 0; time < 7; time++) await showToNewKey()
    expect(await read(app, id)).toMatchObject({ layer: 'working', access_count: 7, version: 1 })
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'working' })
    await showToNewKey()
    expect(await read(app, id)).toMatchObject({ layer: 'episodic', access_count: 8 })
  })

  it('moves a working record to episodic in the first decay run after half an hour', async () => {
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
      record_id: id,
      action: 'promote',
      before: { layer: 'working' },
      after: { layer: 'episodic' },
    })
    const { stats, progress } = (await app.request('GET', `/v1/maintenance/runs/${run_id}`)).body as Body
    expect(stats.promoted_episodic).toBeGreaterThan(0)
    expect(progress.done).toBe(progress.total)
  })

  it('moves an important episodic record to semantic at its fifth use, but not an unimportant one', async () => {
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

  it('happens in a reinforcement, and the answer shows it', async () => {
    const { id } = await store('working')
    await use(id, 1)
    const { body, headers } = await app.request('POST', `/v1/records/${id}/reinforce`, { body: auditFields })
    expect(body).toMatchObject({ layer: 'episodic', version: 3, access_count: 2 })
    expect(headers.get('etag')).toBe('"3"')
    expect(await read(app, id)).toEqual(body)
  })

  it('happens in a patch that raises importance, and the answer shows it', async () => {
    const { id } = await store('episodic', { base_importance: 0.1 })
    await use(id, 5)
    const patch = { base_importance: 1, emotional_valence: 1 }
    const { body, headers } = await app.request('PATCH', `/v1/records/${id}`, { body: patch })
    expect(body).toMatchObject({ layer: 'semantic', version: 3 })
    expect(headers.get('etag')).toBe('"3"')
    expect(await read(app, id)).toEqual(body)
  })

  it('does not happen to pinned records', async () => {
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

  it('does not happen to withdrawn records', async () => {
    const { id } = await store('working')
    await app.request('POST', `/v1/records/${id}/status`, {
      body: { status: 'invalidated', actor: 'a', reason: 'b' },
    })
    app.clock.advance(hour)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'working' })
  })
})

describe('automatic promotion after a manual demotion', () => {
  it('ignores uses before the demotion', async () => {
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

  it('counts age in the working layer from the demotion', async () => {
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

  it('ignores uses before a manual promotion for the next layer', async () => {
    const { id } = await store('semantic', { base_importance: 1, emotional_valence: 1 })
    await use(id, 9)
    await move(id, 'demote', { layer: 'working' })
    await move(id, 'promote')
    app.clock.advance(hour)
    await decay()
    expect(await read(app, id)).toMatchObject({ layer: 'episodic' })
  })
})
