import { beforeEach, describe, expect, it } from 'vitest'
import { RunEnded } from '../../src/jobs/runs/runs.ts'
import { createSimulation } from '../../src/simulation/index.ts'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const day = 86_400_000
const idle = new AbortController().signal
const path = '/v1/maintenance/simulations'

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

const brief = (more: object = {}) => fact({ lifecycle: { decay: { half_life_seconds: 86_400 } }, ...more })
const work = () => createWorkerFor(app).runJob('simulation', idle)

async function ask(body: object, key?: string): Promise<Body> {
  const answer = await app.request('POST', path, { body, ...(key ? { key } : {}) })
  expect(answer.status, answer.text).toBe(202)
  expect(answer.headers.get('location')).toBe(`/v1/maintenance/runs/${(answer.body as Body).id}`)
  return answer.body
}

async function simulate(body: object, key?: string): Promise<Body> {
  const { id } = await ask(body, key)
  await work()
  return (await app.request('GET', `/v1/maintenance/runs/${id}`)).body
}

const halfLives = (...days: number[]) => ({
  over: '30d',
  half_life: { type: 'semantic', seconds: days.map((each) => each * 86_400) },
})

describe('a simulation of half-lives', () => {
  it('returns a point for each value: what is forgotten, its size, and what was requested afterwards', async () => {
    const unused = await create(app, brief())
    const used = await create(app, brief())
    await create(app, brief({ lifecycle: { pinned: true } }))
    app.clock.advance(15 * day)
    await app.request('POST', `/v1/records/${used.id}/access`, { body: {} })
    app.clock.advance(5 * day)
    const { job, status, progress, stats } = await simulate(halfLives(1, 30, 0.5))
    expect({ job, status, progress }).toEqual({
      job: 'simulation',
      status: 'succeeded',
      progress: { done: 3, total: 3 },
    })
    expect(stats.curve).toEqual([
      { value: 86_400, forgotten: 2, bytes_saved: expect.any(Number), regretted: 1 },
      { value: 30 * 86_400, forgotten: 0, bytes_saved: 0, regretted: 0 },
      { value: 43_200, forgotten: 2, bytes_saved: stats.curve[0].bytes_saved, regretted: 1 },
    ])
    expect(stats.curve[0].bytes_saved).toBeGreaterThan(JSON.stringify(unused.payload).length)
  })

  it('counts what was really pruned, and a regret for it as requested', async () => {
    const { id } = await create(app, brief())
    app.clock.advance(12 * day)
    await createWorkerFor(app).runJob('decay', idle)
    expect((await app.request('GET', `/v1/records/${id}`)).status).toBe(410)
    app.clock.advance(day)
    const at = app.clock.now()
    const regret = { forgotten_at: at, reason: 'pruned', first_at: at, last_at: at, times: 1 }
    await app.db
      .insertInto('regrets')
      .values({ record_id: id, ...regret })
      .execute()
    app.clock.advance(day)
    const { stats } = await simulate(halfLives(1, 30))
    expect(stats.curve).toMatchObject([
      { forgotten: 1, regretted: 1 },
      { forgotten: 0, regretted: 0 },
    ])
  })

  it('changes nothing but its own run', async () => {
    for (let index = 0; index < 5; index++) await create(app, brief())
    app.clock.advance(20 * day)
    const tables = ['records', 'contents', 'audit_entries', 'access_log'] as const
    const read = () => Promise.all(tables.map((table) => app.db.selectFrom(table).selectAll().execute()))
    const before = await read()
    const { id, stats } = await simulate(halfLives(1))
    expect(stats.curve[0].forgotten).toBe(5)
    expect(await read()).toEqual(before)
    expect(((await app.request('GET', `/v1/maintenance/runs/${id}/changes`)).body as Body).items).toEqual([])
  })

  it('is about one scope and what the key sees whole', async () => {
    await create(app, brief({ scope: 'team' }))
    await create(app, brief({ scope: 'team', sensitivity: 'high' }))
    await create(app, brief({ scope: 'other' }))
    app.clock.advance(20 * day)
    const key = await app.issueKey(['maintenance:run', 'records:read'], {
      scopes: ['team'],
      max_sensitivity: 'medium',
    })
    expect((await simulate(halfLives(1), key)).stats.curve).toMatchObject([{ forgotten: 1 }])
    expect((await simulate({ ...halfLives(1), scope: 'team' })).stats.curve).toMatchObject([{ forgotten: 2 }])
    expect((await simulate(halfLives(1))).stats.curve).toMatchObject([{ forgotten: 3 }])
    const refused = await app.request('POST', path, { body: { ...halfLives(1), scope: 'other' }, key })
    expectProblem(refused, 403, 'outside_trust')
  })
})

describe('a simulation of policies', () => {
  it('answers one point for all of them', async () => {
    await create(app, fact())
    await create(app, fact({ payload: { kind: 'semantic', subject: 'a', predicate: 'b', object: 'c' } }))
    await create(app, { type: 'episodic', payload: { kind: 'episodic' } })
    app.clock.advance(20 * day)
    const decay = {
      curve: 'linear',
      half_life_seconds: 86_400,
      min_salience: 0,
      max_age_seconds: 0,
      reinforcement_gain: 0.1,
      max_salience: 1,
    }
    const policies = { semantic: { decay, deletion_policy: 'auto_prune' } }
    expect((await simulate({ over: '30d', policies })).stats.curve).toMatchObject([
      { value: null, forgotten: 2, regretted: 0 },
    ])
    const kept = { semantic: { decay, deletion_policy: 'never' } }
    expect((await simulate({ over: '30d', policies: kept })).stats.curve).toMatchObject([{ forgotten: 0 }])
  })
})

describe('a simulation of budgets', () => {
  const ask = (max_records: number[], more: object = {}) =>
    simulate({ over: '30d', budget: { max_records }, ...more })

  it('forgets the least worth keeping of each scope on its own, and never what is pinned or a day old', async () => {
    const precious: string[] = []
    for (let index = 0; index < 4; index++) {
      const { id } = await create(app, fact({ scope: 'full', base_importance: index / 4 }))
      if (index === 0) precious.push(id)
    }
    await create(app, fact({ scope: 'full', base_importance: 0, lifecycle: { pinned: true } }))
    await create(app, fact({ scope: 'roomy' }))
    app.clock.advance(10 * day)
    // The least important one is used later: an early budget would have regretted it.
    await app.request('POST', `/v1/records/${precious[0]}/access`, { body: {} })
    app.clock.advance(day / 2)
    await create(app, fact({ scope: 'full', base_importance: 0 }))
    app.clock.advance(1_000)
    expect((await ask([5, 4, 0, 6])).stats.curve).toMatchObject([
      { value: 5, forgotten: 1, regretted: 0 },
      { value: 4, forgotten: 2, regretted: 1 },
      { value: 0, forgotten: 5, regretted: 1 },
      { value: 6, forgotten: 0, bytes_saved: 0, regretted: 0 },
    ])
    expect((await ask([0], { scope: 'roomy' })).stats.curve).toMatchObject([{ forgotten: 1 }])
  })

  it('measures bytes too', async () => {
    const { id } = await create(
      app,
      fact({ payload: { kind: 'semantic', subject: 'a', predicate: 'b', object: 'c'.repeat(5_000) } }),
    )
    await create(app, fact({ base_importance: 1 }))
    app.clock.advance(5 * day)
    const { stats } = await simulate({ over: '4d', budget: { max_bytes: [100_000, 3_000] } })
    expect(stats.curve).toMatchObject([{ forgotten: 0 }, { value: 3_000, forgotten: 1 }])
    expect(stats.curve[1].bytes_saved).toBeGreaterThan(5_000)
    expect((await app.request('GET', `/v1/records/${id}`)).status).toBe(200)
  })
})

describe('the run of a simulation', () => {
  it('continues where another worker stopped, and counts each record once', async () => {
    for (let index = 0; index < 7; index++) await create(app, brief())
    app.clock.advance(20 * day)
    const { id } = await ask(halfLives(1))
    let batches = 0
    const stopped = createSimulation({ db: app.db, size: 2 })
    const dying = {
      run: (context: Parameters<typeof stopped.run>[0]) =>
        stopped.run({
          ...context,
          inBatch: (perform) => {
            if (++batches > 3) throw new RunEnded('stopped')
            return context.inBatch(perform)
          },
        }),
    }
    const one = createWorkerFor(app, undefined, { jobWorks: { simulation: dying } })
    const stopping = new AbortController()
    await one.runJob('simulation', AbortSignal.any([stopping.signal, AbortSignal.timeout(1_000)]))
    const read = async () => (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body
    expect((await read()).stats.curve).toMatchObject([{ forgotten: 4 }])
    await work()
    expect(await read()).toMatchObject({
      status: 'succeeded',
      progress: { done: 7, total: 7 },
      stats: { curve: [{ forgotten: 7 }] },
    })
  })

  it('can be cancelled', async () => {
    const { id } = await ask(halfLives(1))
    const cancelled = await app.request('POST', `/v1/maintenance/runs/${id}/cancel`)
    expect(cancelled.body).toMatchObject({ status: 'cancelled' })
  })

  it('is requested by its own route only, and has no schedule', async () => {
    const asked = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'simulation' } })
    expectProblem(asked, 422, 'validation_failed')
    const { items } = (await app.request('GET', '/v1/maintenance/schedules')).body as Body
    expect(items.map((each: Body) => each.job)).not.toContain('simulation')
    const body = { interval: '1h' }
    const scheduled = await app.request('PUT', '/v1/maintenance/schedules/simulation', { body })
    expectProblem(scheduled, 404, 'job_not_found')
    const { id } = await ask(halfLives(1))
    const { items: runs } = (await app.request('GET', '/v1/maintenance/runs?job=simulation')).body as Body
    expect(runs.map((each: Body) => each.id)).toEqual([id])
  })

  it('is refused for anything but one question about a past of up to a year', async () => {
    const { half_life } = halfLives(1)
    const bodies = [
      { over: '30d' },
      { ...halfLives(1), policies: { semantic: { deletion_policy: 'never' } } },
      { over: '366d', half_life },
      { over: '1m', half_life },
      { over: 'never', half_life },
      { over: '30d', half_life: { type: 'semantic', seconds: [] } },
      { over: '30d', half_life: { type: 'semantic', seconds: [0] } },
      { over: '30d', policies: {} },
      { over: '30d', budget: {} },
      { over: '30d', budget: { max_records: [1], max_bytes: [1] } },
      { over: '30d', budget: { max_records: [-1] } },
      { ...halfLives(1), budget: { max_records: [1] } },
      { over: '30d', half_life, unknown: true },
    ]
    for (const body of bodies)
      expectProblem(await app.request('POST', path, { body }), 422, 'validation_failed')
    const key = await app.issueKey(['records:read'])
    expectProblem(await app.request('POST', path, { body: halfLives(1), key }), 403, 'forbidden')
  })
})
