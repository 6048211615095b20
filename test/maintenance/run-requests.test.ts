import { beforeEach, describe, expect, it } from 'vitest'
import { schedulableJobs } from '../../src/jobs/job-names.ts'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const idle = new AbortController().signal

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

const work = () => createWorkerFor(app).runJob('decay', idle)

async function ask(body: object, key?: string): Promise<Body> {
  const answer = await app.request('POST', '/v1/maintenance/runs', { body, ...(key ? { key } : {}) })
  expect(answer.status, answer.text).toBe(202)
  expect(answer.headers.get('location')).toBe(`/v1/maintenance/runs/${(answer.body as Body).id}`)
  return answer.body
}

const readRun = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/maintenance/runs/${id}`)).body

/** Fades to nothing within three hours. */
const fleeting = () =>
  create(app, fact({ lifecycle: { decay: { curve: 'linear', half_life_seconds: 7_200 } } }))

describe('POST /v1/maintenance/runs and the run it creates', () => {
  it('queue the run, run it, and report its changes', async () => {
    const { id: recordId } = await fleeting()
    app.clock.advance(3 * hour)
    const { id, status, progress } = await ask({ job: 'decay' })
    expect({ status, progress }).toEqual({ status: 'queued', progress: { done: 0 } })
    await work()
    expect(await readRun(id)).toMatchObject({
      job: 'decay',
      trigger: 'manual',
      status: 'succeeded',
      worker: 'worker',
      attempts: 1,
      stats: { pruned: 1 },
      finished_at: app.clock.now().toISOString(),
    })
    const { body } = await app.request('GET', `/v1/maintenance/runs/${id}/changes`)
    expect(body).toMatchObject({ items: [{ record_id: recordId, action: 'prune', before: { salience: 0 } }] })
    const gone = expectProblem(await app.request('GET', `/v1/records/${recordId}`), 410, 'record_forgotten')
    expect(gone.reason).toBe('pruned')
  })

  it('create one run for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const options = { body: { job: 'decay' }, headers }
    const first = await app.request('POST', '/v1/maintenance/runs', options)
    const again = await app.request('POST', '/v1/maintenance/runs', options)
    expect(again.text).toBe(first.text)
    expect(((await app.request('GET', '/v1/maintenance/runs')).body as Body).items).toHaveLength(1)
  })

  it('are cancelled if the key is revoked before a worker starts the run', async () => {
    const keys = await Promise.all([1, 2].map(() => app.issueKey(['maintenance:run', 'records:read'])))
    const revoked = await ask({ job: 'decay', dry_run: true }, keys[0])
    const kept = await ask({ job: 'decay', dry_run: true }, keys[1])
    const [first] = await app.db
      .selectFrom('maintenance_runs')
      .select('requested_by')
      .where('id', '=', revoked.id)
      .execute()
    expect((await app.request('DELETE', `/v1/keys/${first?.requested_by}`)).status).toBe(204)
    await work()
    await work()
    expect(await readRun(revoked.id)).toMatchObject({
      status: 'cancelled',
      attempts: 0,
      finished_at: app.clock.now().toISOString(),
      error: 'the key that requested the run was revoked before it started',
    })
    expect(await readRun(kept.id)).toMatchObject({ status: 'succeeded' })
  })

  it('list runs newest first in pages, by job and by status', async () => {
    const ids: string[] = []
    for (const job of ['decay', 'purge', 'decay']) {
      ids.unshift((await ask({ job })).id)
      app.clock.advance(1)
    }
    const first = (await app.request('GET', '/v1/maintenance/runs?limit=2')).body as Body
    const rest = (await app.request('GET', `/v1/maintenance/runs?limit=2&cursor=${first.next_cursor}`))
      .body as Body
    expect([...first.items, ...rest.items].map((run: Body) => run.id)).toEqual(ids)
    expect(rest.next_cursor).toBeUndefined()
    const decays = (await app.request('GET', '/v1/maintenance/runs?job=decay&status=queued')).body as Body
    expect(decays.items.map((run: Body) => run.id)).toEqual([ids[0], ids[2]])
  })

  it('cancel a queued run at once and only once', async () => {
    const { id } = await ask({ job: 'decay' })
    const path = `/v1/maintenance/runs/${id}/cancel`
    expect((await app.request('POST', path)).body).toMatchObject({ status: 'cancelled' })
    expectProblem(await app.request('POST', path), 409, 'run_finished')
    await work()
    expect(await readRun(id)).toMatchObject({ status: 'cancelled', attempts: 0 })
  })

  it('answer not found for an unknown run', async () => {
    const nowhere = '/v1/maintenance/runs/0197b9a0-0000-7000-8000-000000000001'
    for (const path of ['', '/changes', '/events']) {
      expectProblem(await app.request('GET', `${nowhere}${path}`), 404, 'run_not_found')
    }
    expectProblem(await app.request('POST', `${nowhere}/cancel`), 404, 'run_not_found')
  })

  it('refuse an unknown job and an unknown option', async () => {
    const path = '/v1/maintenance/runs'
    for (const body of [{ job: 'sleep' }, { job: 'decay', options: { deep: true } }, {}]) {
      expectProblem(await app.request('POST', path, { body }), 422, 'validation_failed')
    }
  })

  it('limit the run of a scoped key to its scopes, hidden from keys of other scopes', async () => {
    const own = await app.issueKey(['maintenance:run', 'records:read'], { scopes: ['a'] })
    const other = await app.issueKey(['maintenance:run', 'records:read'], { scopes: ['b'] })
    const run = await ask({ job: 'decay' }, own)
    expect(run.scope).toBe('a')
    const path = `/v1/maintenance/runs/${run.id}`
    expect((await app.request('GET', path, { key: own })).status).toBe(200)
    expectProblem(await app.request('GET', path, { key: other }), 404, 'run_not_found')
    expect((await app.request('GET', '/v1/maintenance/runs', { key: other })).body).toEqual({ items: [] })
    const foreign = { key: own, body: { job: 'decay', scope: 'b' } }
    expectProblem(await app.request('POST', '/v1/maintenance/runs', foreign), 403, 'outside_trust')
  })

  it('require the permission to run jobs', async () => {
    const key = await app.issueKey(['records:read', 'records:write', 'lifecycle:write'])
    const options = { key, body: { job: 'decay' } }
    expectProblem(await app.request('POST', '/v1/maintenance/runs', options), 403, 'forbidden')
  })
})

describe('/v1/maintenance/schedules', () => {
  const list = async (): Promise<Body[]> =>
    ((await app.request('GET', '/v1/maintenance/schedules')).body as Body).items
  const put = (job: string, body: object) => app.request('PUT', `/v1/maintenance/schedules/${job}`, { body })

  it('follow the configuration until a client sets one', async () => {
    expect((await list()).map(({ job }) => job)).toEqual(expect.arrayContaining([...schedulableJobs]))
    expect(await list()).toEqual(
      expect.arrayContaining([
        { job: 'decay', interval: '1h', enabled: true, mode: 'run' },
        { job: 'consolidate', interval: '6h', enabled: true, mode: 'run' },
        { job: 'dream', interval: '1d', enabled: true, mode: 'run' },
        { job: 'refresh_importance', interval: '0', enabled: false, mode: 'run' },
        { job: 'embed', interval: '0', enabled: false, mode: 'run' },
        { job: 'purge', interval: '1d', enabled: true, mode: 'run' },
      ]),
    )
    const next_at = new Date(app.clock.now().getTime() + 15 * 60_000).toISOString()
    expect((await put('decay', { interval: '15m' })).body).toEqual({
      job: 'decay',
      interval: '15m',
      enabled: true,
      mode: 'run',
      next_at,
    })
    expect((await list())[0]).toMatchObject({ interval: '15m', next_at })
  })

  it('create a run when it is due, and not before', async () => {
    const runs = async () => ((await app.request('GET', '/v1/maintenance/runs')).body as Body).items
    await put('decay', { interval: '1h' })
    await work()
    expect(await runs()).toEqual([])
    app.clock.advance(hour)
    await Promise.all([work(), work()])
    expect(await runs()).toMatchObject([{ job: 'decay', trigger: 'schedule', status: 'succeeded' }])
    expect((await list())[0]).toMatchObject({ last_success_at: app.clock.now().toISOString() })
  })

  it('keep every field that requests set at once', async () => {
    for (let round = 0; round < 10; round++) {
      await put('decay', { interval: '1h', enabled: true, mode: 'run' })
      await Promise.all(
        [{ interval: '2h' }, { enabled: false }, { mode: 'plan' }].map((field) => put('decay', field)),
      )
      expect((await list())[0]).toMatchObject({ interval: '2h', enabled: false, mode: 'plan' })
    }
  })

  it('create no run while switched off', async () => {
    const { body } = await put('decay', { enabled: false })
    expect(body).toEqual({ job: 'decay', interval: '1h', enabled: false, mode: 'run' })
    app.clock.advance(48 * hour)
    await work()
    expect(((await app.request('GET', '/v1/maintenance/runs')).body as Body).items).toEqual([])
  })

  it('refuse intervals below ten seconds and unknown jobs', async () => {
    expectProblem(await put('decay', { interval: '9s' }), 422, 'validation_failed')
    expectProblem(await put('decay', {}), 422, 'validation_failed')
    expectProblem(await put('sleep', { interval: '1h' }), 404, 'job_not_found')
    expect((await put('decay', { interval: '10s' })).status).toBe(200)
  })
})
