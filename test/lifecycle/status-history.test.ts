import { afterAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../src/records/index.ts'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the status tests' } })
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const day = 86_400_000

const move = (id: string, status: string): Promise<Answer> =>
  app.request('POST', `/v1/records/${id}/status`, {
    body: { status, reason: `now ${status}`, actor: 'reviewer' },
  })
const historyOf = async (id: string, query = ''): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/status-history${query}`)).body

const retract = async (id: string): Promise<void> => {
  const body = { actor: 'reviewer', rationale: 'it was wrong' }
  expect((await app.request('POST', `/v1/records/${id}/retract`, { body })).status).toBe(200)
}

describe('activating a retracted record', () => {
  it('restores its salience and the revision status of a fact', async () => {
    const { id } = await create(app, fact({ lifecycle: { decay: { half_life_seconds: 86_400 } } }))
    app.clock.advance(day)
    await retract(id)
    expect(await read(app, id)).toMatchObject({ salience: 0, payload: { revision: { status: 'retracted' } } })
    app.clock.advance(day)
    const { body } = await move(id, 'active')
    expect(body).toMatchObject({
      status: 'active',
      salience: 0.5,
      payload: { revision: { status: 'active' } },
      lifecycle: { last_reinforced_at: app.clock.now().toISOString() },
    })
    expect((body as Body).audit_log.at(-1).changes).toEqual({
      status: ['invalidated', 'active'],
      salience: [0.5, 0.5],
      'payload.revision.status': ['retracted', 'active'],
    })
    app.clock.advance(day)
    expect((await read(app, id)).salience).toBeCloseTo(0.25, 12)
    const forecast = (await app.request('GET', `/v1/records/${id}/forecast`)).body as Body
    expect(Date.parse(forecast.crossings.pruned)).toBeGreaterThan(app.clock.now().getTime())
  })

  it('restores salience for every revisable type', async () => {
    for (const type of ['entity', 'competence', 'plan_graph'] as const) {
      const { id } = await create(app, { type, payload: payloads[type], salience: 0.7 })
      await retract(id)
      expect((await move(id, 'active')).body).toMatchObject({ status: 'active', salience: 0.7 })
    }
  })

  it('restores salience even when little or no lifetime was left', async () => {
    const short = { half_life_seconds: 3_600, max_age_seconds: 7_200 }
    const { id } = await create(app, fact({ lifecycle: { decay: short } }))
    app.clock.advance(day)
    await retract(id)
    expect((await move(id, 'active')).body).toMatchObject({
      salience: 0.1,
      lifecycle: { decay: { max_age_seconds: 0 } },
    })
  })

  it('reverts the last retraction only', async () => {
    const { id } = await create(app, fact())
    await retract(id)
    await move(id, 'active')
    const penalty = { actor: 'a', rationale: 'r', amount: 1 }
    await app.request('POST', `/v1/records/${id}/penalize`, { body: penalty })
    await move(id, 'invalidated')
    expect((await move(id, 'active')).body).toMatchObject({ salience: 0 })
  })
})

describe('GET /v1/records/{id}/status-history', () => {
  it('returns pages, oldest first, while the status changes', async () => {
    const { id } = await create(app, fact())
    const path = ['challenged', 'active', 'invalidated', 'active', 'challenged', 'invalidated']
    for (const status of path.slice(0, 5)) {
      app.clock.advance(1_000)
      await move(id, status)
    }
    const first = await historyOf(id, '?limit=2')
    await move(id, 'invalidated')
    const items = [...first.items]
    for (let cursor = first.next_cursor; cursor !== undefined; ) {
      const page = await historyOf(id, `?limit=2&cursor=${cursor}`)
      items.push(...page.items)
      cursor = page.next_cursor
    }
    expect(items.map((item: Body) => [item.old, item.new])).toEqual(
      path.map((status, index) => [path[index - 1] ?? 'active', status]),
    )
    const at = app.clock.now().getTime()
    expect(items[0]).toEqual({
      old: 'active',
      new: 'challenged',
      reason: 'now challenged',
      actor: 'reviewer',
      step: 'manual',
      changed_at: new Date(at - 4_000).toISOString(),
      via: { key_id: 'root', key_name: 'root' },
    })
    const other = await create(app, fact())
    const stolen = await app.request(
      'GET',
      `/v1/records/${other.id}/status-history?cursor=${first.next_cursor}`,
    )
    expectProblem(stolen, 400, 'invalid_cursor')
  })

  it('is empty for an unchanged record and not found for a missing one', async () => {
    const { id } = await create(app, fact())
    expect(await historyOf(id)).toEqual({ items: [] })
    const answer = await app.request('GET', `/v1/records/${app.ids.next()}/status-history`)
    expectProblem(answer, 404, 'record_not_found')
  })

  it('remains after the record is forgotten, purged or erased, without its content', async () => {
    const { id } = await create(app, fact())
    await move(id, 'challenged')
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    const [moved] = (await historyOf(id)).items
    expect(moved).toMatchObject({ new: 'challenged', reason: 'now challenged' })
    app.clock.advance(365 * day)
    expect(await purgeForgotten(app.db, app.clock.now(), 100)).toBeGreaterThan(0)
    expect((await historyOf(id)).items).toEqual([moved])
    const erasure = { actor: 'desk', rationale: 'asked' }
    expect((await app.request('POST', `/v1/records/${id}/erase`, { body: erasure })).status).toBe(200)
    expect((await historyOf(id)).items).toEqual([{ ...moved, reason: '' }])
  })
})
