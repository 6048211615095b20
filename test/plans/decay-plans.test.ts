import { afterAll, describe, expect, it } from 'vitest'
import { range } from '../support/requests/capture-requests.ts'
import { createScope, listRunChanges } from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, perform, plan, readPlan } from '../support/requests/plan-requests.ts'
import { type Body, create, expectProblem, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const app = await startTestApp({ variables: { MEMBRANE_PLAN_RETENTION: '2d' } })
afterAll(() => app.close())

const day = 86_400_000
const path = '/v1/maintenance/plans'
const brief = { lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600 } } }

const pin = (id: string | undefined) =>
  app.request('POST', `/v1/records/${id}/pin`, { body: { actor: 'operator', rationale: 'needed' } })

/** Creates facts that have faded away when it returns. */
async function createFaded(count: number) {
  const scope = createScope()
  const ids = await Promise.all(
    range(count).map(async () => (await create(app, fact({ scope, ...brief }))).id as string),
  )
  app.clock.advance(day)
  return { scope, ids: ids.sort() }
}

describe('a plan of the decay', () => {
  it('lists what would be forgotten, in words, and forgets nothing', async () => {
    const { scope, ids } = await createFaded(3)
    const prepared = await plan(app, 'decay', { scope })
    expect(prepared).toMatchObject({ job: 'decay', scope, status: 'ready', counts: { prune: 3 } })
    expect(prepared.digest.length).toBeGreaterThanOrEqual(16)
    expect(Date.parse(prepared.expires_at) - Date.parse(prepared.created_at)).toBe(2 * day)
    const changes = await listPlanChanges(app, prepared)
    expect(changes.map(({ record_id }) => record_id)).toEqual(ids)
    const before = { salience: 0 }
    const after = { forgotten_at: expect.any(String) }
    const why = expect.stringMatching(/^The record would be forgotten.*\.$/)
    expect(changes[0]).toMatchObject({ type: 'semantic', action: 'prune', before, after, why })
    expect((await read(app, ids[0] ?? '')).forgotten).toBeUndefined()
  })

  it('is applied as listed, under the id of the run that applies it', async () => {
    const { scope, ids } = await createFaded(3)
    const prepared = await plan(app, 'decay', { scope })
    app.clock.advance(60_000)
    const run = await apply(app, prepared)
    expect(run).toMatchObject({
      job: 'decay',
      status: 'succeeded',
      options: { plan_id: prepared.id },
      stats: { applied: 3, skipped: 0 },
    })
    const one = (await app.request('GET', `/v1/records/${ids[0]}?include_forgotten=true`)).body as Body
    expect(one.forgotten).toMatchObject({ reason: 'pruned', run_id: run.id })
    const after = { forgotten_at: one.forgotten.at, purge_at: one.forgotten.purge_at }
    const listed = (await listPlanChanges(app, prepared)).map(({ why: _, type: __, ...change }) => change)
    expect(await listRunChanges(app, run)).toEqual(listed.map((change) => ({ ...change, after })))
    expect(Date.parse(after.forgotten_at) - Date.parse(listed[0]?.['after'].forgotten_at)).toBeGreaterThan(
      59_000,
    )
    expect((await readPlan(app, prepared)).status).toBe('applied')
  })

  it('does the same as the run', async () => {
    const planned = await createFaded(4)
    const ran = await createFaded(4)
    await apply(app, await plan(app, 'decay', { scope: planned.scope }))
    await perform(app, 'decay', { job: 'decay', scope: ran.scope })
    const describeRecord = async (id: string) => {
      const { body } = await app.request('GET', `/v1/records/${id}?include_forgotten=true`)
      const {
        id: _,
        scope: __,
        audit_log,
        forgotten,
        created_at: ___,
        updated_at: ____,
        lifecycle,
        ...rest
      } = body as Body
      return {
        ...rest,
        log: audit_log.map(({ action, actor }: Body) => ({ action, actor })),
        reason: forgotten?.reason,
      }
    }
    expect(await describeRecord(planned.ids[0] ?? '')).toEqual(await describeRecord(ran.ids[0] ?? ''))
  })

  it('leaves a record alone that moved since, and says so', async () => {
    const { scope, ids } = await createFaded(3)
    const prepared = await plan(app, 'decay', { scope })
    await pin(ids[1])
    expect((await readPlan(app, prepared)).status).toBe('stale')
    const run = await apply(app, prepared)
    expect(run.stats).toMatchObject({ applied: 2, skipped: 1 })
    const skipped = (await listRunChanges(app, run)).filter(({ action }) => action === 'skipped')
    expect(skipped).toEqual([{ record_id: ids[1], action: 'skipped', note: 'it was pinned since' }])
    expect((await read(app, ids[1] ?? '')).forgotten).toBeUndefined()
  })

  it('makes only the selected changes, and later what is left, each once', async () => {
    const { scope, ids } = await createFaded(4)
    const prepared = await plan(app, 'decay', { scope })
    const first = await apply(app, prepared, { only: [ids[0]] })
    expect(first).toMatchObject({ stats: { applied: 1, skipped: 0 }, progress: { done: 1, total: 1 } })
    expect((await readPlan(app, prepared)).status).toBe('ready')
    const second = await apply(app, prepared, { only: ['prune'], except: [ids[3]] })
    expect(second.stats).toMatchObject({ applied: 2, skipped: 0 })
    const last = await apply(app, prepared)
    expect(last).toMatchObject({ stats: { applied: 1, skipped: 0 }, progress: { done: 1, total: 1 } })
    expect((await readPlan(app, prepared)).status).toBe('applied')
    expect((await apply(app, prepared)).id).toBe(last.id)
    expect((await apply(app, prepared, { only: ['prune'] })).id).toBe(last.id)
  })

  it('can be undone after it was applied', async () => {
    const { scope, ids } = await createFaded(2)
    const before = await read(app, ids[0] ?? '')
    const run = await apply(app, await plan(app, 'decay', { scope }))
    const undone = await perform(
      app,
      'undo',
      { actor: 'operator', rationale: 'too early' },
      `/v1/maintenance/runs/${run.id}/undo`,
    )
    expect(undone.stats).toMatchObject({ undone: 2, kept: 0 })
    expect((await read(app, ids[0] ?? '')).lifecycle).toEqual(before.lifecycle)
  })
})

describe('a plan', () => {
  const applying = (id: string, body: object) => app.request('POST', `${path}/${id}/apply`, { body })

  it('is applied only with its digest, and not when it has expired', async () => {
    const { scope } = await createFaded(1)
    const { id, digest } = await plan(app, 'decay', { scope })
    expectProblem(await applying(id, {}), 422, 'validation_failed')
    expectProblem(await applying(id, { digest: 'f'.repeat(64) }), 409, 'digest_mismatch')
    app.clock.advance(2 * day)
    expect(await readPlan(app, { id })).toMatchObject({ status: 'expired' })
    expectProblem(await applying(id, { digest }), 409, 'plan_expired')
  })

  it('is refused before it is prepared, and for a job that plans nothing', async () => {
    const { body } = await app.request('POST', path, { body: { job: 'decay' } })
    expect(body).toMatchObject({ status: 'preparing', counts: {} })
    expect(body).not.toHaveProperty('digest')
    expectProblem(await applying((body as Body).id, { digest: 'f'.repeat(64) }), 409, 'plan_not_ready')
    expectProblem(await app.request('POST', path, { body: { job: 'embed' } }), 422, 'validation_failed')
  })

  it('is listed by job and status until it is dropped', async () => {
    const { scope } = await createFaded(1)
    const { id } = await plan(app, 'decay', { scope })
    const list = async (query: string) =>
      ((await app.request('GET', `${path}?${query}`)).body as Body).items.map((item: Body) => item.id)
    expect(await list('job=decay&status=ready')).toContain(id)
    expect(await list('status=applied')).not.toContain(id)
    // An action that no job has would find nothing, as if there was nothing to do.
    expectProblem(await app.request('GET', `${path}/${id}/changes?action=delete`), 422, 'validation_failed')
    expect((await app.request('DELETE', `${path}/${id}`)).status).toBe(204)
    expectProblem(await app.request('GET', `${path}/${id}`), 404, 'plan_not_found')
    expectProblem(await app.request('DELETE', `${path}/${id}`), 404, 'plan_not_found')
    expectProblem(await app.request('GET', `/v1/maintenance/runs/${id}`), 404, 'run_not_found')
  })

  it('is summarised by action and type', async () => {
    const { scope, ids } = await createFaded(3)
    const { id } = await plan(app, 'decay', { scope })
    const { body } = await app.request('GET', `${path}/${id}/summary`)
    expect(body).toEqual({
      groups: [
        {
          action: 'prune',
          type: 'semantic',
          count: 3,
          salience: 0,
          bytes: expect.any(Number),
          most_valuable: {
            record_id: expect.toSatisfy((one) => ids.includes(one)),
            keeping: expect.any(Number),
          },
        },
      ],
    })
    expect((body as Body).groups[0].bytes).toBeGreaterThan(300)
  })
})

describe('a schedule of plans', () => {
  it('prepares a plan each time, and waits for someone to apply it', async () => {
    const { scope, ids } = await createFaded(1)
    const put = (body: object) => app.request('PUT', '/v1/maintenance/schedules/decay', { body })
    expect((await put({ interval: '1h', mode: 'plan' })).body).toMatchObject({ interval: '1h', mode: 'plan' })
    app.clock.advance(3_600_000)
    await createWorkerFor(app, noIntervals).runJob('decay', new AbortController().signal)
    expect((await put({ enabled: false })).body).toMatchObject({ mode: 'plan', enabled: false })
    const { body } = await app.request('GET', `${path}?job=decay&limit=1`)
    const [prepared] = (body as Body).items
    expect(prepared).toMatchObject({ status: 'ready', options: {} })
    expect(await listPlanChanges(app, prepared, `&scope=${scope}`)).toMatchObject([{ record_id: ids[0] }])
    expect((await read(app, ids[0] ?? '')).forgotten).toBeUndefined()
    expect((await apply(app, prepared, { only: [ids[0]] })).stats).toMatchObject({ applied: 1 })
  })
})

describe('the reader of a plan', () => {
  it('finds only changes of records that the key may see, without values one level above it', async () => {
    const scope = createScope()
    const levels = ['low', 'medium', 'hyper']
    const ids = await Promise.all(
      levels.map(async (sensitivity) => (await create(app, fact({ scope, sensitivity, ...brief }))).id),
    )
    app.clock.advance(day)
    const prepared = await plan(app, 'decay', { scope })
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low', scopes: [scope] })
    expect(await readPlan(app, prepared, { key })).toMatchObject({ status: 'ready', counts: { prune: 2 } })
    const changes = await listPlanChanges(app, prepared, '', { key })
    const placeOf = (change: Body) => ids.indexOf(change.record_id)
    expect(changes.sort((one, other) => placeOf(one) - placeOf(other))).toEqual([
      expect.objectContaining({ record_id: ids[0], why: expect.any(String) }),
      { record_id: ids[1], type: 'semantic', action: 'prune', redacted: true },
    ])
    const summary = (await app.request('GET', `${path}/${prepared.id}/summary`, { key })).body as Body
    expect(summary.groups[0]).toMatchObject({ count: 2, most_valuable: { record_id: ids[0] } })
    // A hidden record that moves does not change the status.
    await pin(ids[2])
    expect((await readPlan(app, prepared, { key })).status).toBe('ready')
    expect((await readPlan(app, prepared)).status).toBe('stale')
  })

  it('sees no plan of another scope, and makes none', async () => {
    const { scope } = await createFaded(1)
    const prepared = await plan(app, 'decay', { scope })
    const request = (key: string, body: object) => app.request('POST', path, { key, body })
    const key = await app.issueKey(['records:read', 'maintenance:run'], { scopes: ['other'] })
    expectProblem(await app.request('GET', `${path}/${prepared.id}`, { key }), 404, 'plan_not_found')
    expectProblem(await request(key, { job: 'decay', scope }), 403, 'outside_trust')
    const reader = await app.issueKey(['records:read'])
    expectProblem(await request(reader, { job: 'decay' }), 403, 'forbidden')
  })
})
