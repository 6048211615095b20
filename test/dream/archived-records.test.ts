import { afterAll, describe, expect, it } from 'vitest'
import type { JobName } from '../../src/jobs/job-names.ts'
import { purgeForgotten } from '../../src/records/index.ts'
import { importFile } from '../support/files/foreign-files.ts'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  pointersOf,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000
const auditFields = { actor: 'curator', rationale: 'it is needed' }
/** Salience does not fall by itself and there is no use: only age and importance decide. */
const slowlyFading = { lifecycle: { decay: { half_life_seconds: 1e10 } } }
const store = (more: object = {}): Promise<Body> =>
  create(app, {
    type: 'episodic',
    payload: payloads.episodic,
    source_type: 'ingest',
    ...slowlyFading,
    ...more,
  })

async function run(job: JobName, more: object = {}, instance = app): Promise<Body> {
  const { status, body } = await instance.request('POST', '/v1/maintenance/runs', { body: { job, ...more } })
  expect(status).toBe(202)
  await createWorkerFor(instance).runJob(job, new AbortController().signal)
  const ended = (await instance.request('GET', `/v1/maintenance/runs/${(body as Body).id}`)).body as Body
  expect(ended).toMatchObject({ status: 'succeeded' })
  return ended
}
const explain = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/explain`)).body
const dreamOn = (id: string) => run('dream').then(() => app.request('GET', `/v1/records/${id}`))

describe('an archived record', () => {
  it('is left out of every answer, and its explanation says why, when and until when it can be restored', async () => {
    const { id } = await store()
    app.clock.advance(90 * day)
    expect((await dreamOn(id)).status).toBe(200)
    app.clock.advance(1)
    const problem = expectProblem(await dreamOn(id), 410, 'record_forgotten')
    expect(problem).toMatchObject({ reason: 'archived', forgotten_at: app.clock.now().toISOString() })
    const list = (await app.request('GET', '/v1/records?limit=500')).body as Body
    expect(list.items.map((item: Body) => item.id)).not.toContain(id)

    const archivedAt = app.clock.now()
    app.clock.advance(3 * day)
    const { state, removal } = await explain(id)
    expect(state).toBe('forgotten')
    expect(removal).toMatchObject({
      reason: 'archived',
      rule: 'archival',
      actor: 'dream/forget',
      at: archivedAt.toISOString(),
      restore: {
        possible: true,
        call: `POST /v1/records/${id}/restore`,
        until: new Date(archivedAt.getTime() + 30 * day).toISOString(),
      },
    })
    const { numbers } = removal
    expect(numbers.retention).toBeLessThan(0.15)
    expect(numbers.importance).toBeLessThan(0.3)
    expect(numbers.accesses).toBe(0)
    expect(numbers.age_days).toBeCloseTo(90, 6)
    expect(numbers.salience).toBeGreaterThan(0.99)
  })

  it('keeps its explanation after it was purged', async () => {
    const { id } = await store()
    app.clock.advance(91 * day)
    await run('dream')
    const { numbers } = (await explain(id)).removal
    app.clock.advance(30 * day)
    await purgeForgotten(app.db, app.clock.now(), 100)
    expectProblem(await app.request('GET', `/v1/records/${id}`), 410, 'record_purged')
    const gone = await explain(id)
    expect(gone).toMatchObject({
      state: 'purged',
      removal: { reason: 'archived', rule: 'archival', restore: { possible: false } },
    })
    expect(gone.removal.numbers).toMatchObject({
      retention: numbers.retention,
      importance: numbers.importance,
      accesses: numbers.accesses,
      age_days: numbers.age_days,
    })
  })

  it('counts its restoration as a use, and then stays as long as a used record', async () => {
    const { id } = await store({ base_importance: 0.3 })
    app.clock.advance(100 * day)
    expect((await dreamOn(id)).status).toBe(410)
    const { status, body } = await app.request('POST', `/v1/records/${id}/restore`, { body: auditFields })
    expect(status).toBe(200)
    expect(body).toMatchObject({ access_count: 1, last_accessed_at: app.clock.now().toISOString() })
    expect(await read(app, id)).toEqual(body)
    const { rows } = await app.database.pool.query(
      `select kind, actor from access_log where record_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ kind: 'used', actor: 'curator' }])

    expect((await dreamOn(id)).status).toBe(200)
    app.clock.advance(14 * day)
    expect((await dreamOn(id)).status).toBe(200)
    app.clock.advance(90 * day)
    expect((await dreamOn(id)).status).toBe(410)
  })

  it('is never a pinned record, whichever job runs', async () => {
    const pinned = await store({ lifecycle: { pinned: true }, base_importance: 0.1 })
    const faded = await create(app, {
      type: 'working',
      payload: payloads.working,
      lifecycle: { pinned: true, decay: { half_life_seconds: 60, max_age_seconds: 60 } },
    })
    const before = await Promise.all([pinned, faded].map(({ id }) => read(app, id)))
    for (const days of [1, 40, 200, 400]) {
      app.clock.advance(days * day)
      for (const job of ['decay', 'consolidate', 'dream', 'refresh_importance', 'purge'] as const)
        await run(job)
    }
    const after = await Promise.all([pinned, faded].map(({ id }) => read(app, id)))
    for (const [n, record] of after.entries()) {
      // The score as of now changes with time alone.
      expect({ ...record, importance: 0 }).toEqual({ ...before[n], importance: 0 })
    }
    const unpin = await app.request('POST', `/v1/records/${pinned.id}/unpin`, { body: auditFields })
    expect(unpin.status).toBe(200)
    expect((await dreamOn(pinned.id)).status).toBe(200)
    app.clock.advance(91 * day)
    expect((await dreamOn(pinned.id)).status).toBe(410)
  })

  it('is not archived for its old content before it was here for 90 days', async () => {
    const at = new Date(app.clock.now().getTime() - 700 * day).toISOString()
    const chat_messages = [{ uuid: 'm1', sender: 'human', text: 'The sky was grey.', created_at: at }]
    const chat = { uuid: 'c', name: 'Sky', created_at: at, updated_at: at, chat_messages }
    const { reports } = await importFile(app, JSON.stringify([chat]), { query: '?format=claude' })
    const { id } = reports[0]
    expect((await read(app, id)).created_at).toBe(at)
    expect((await dreamOn(id)).status).toBe(200)
    app.clock.advance(89 * day)
    expect((await dreamOn(id)).status).toBe(200)
    app.clock.advance(2 * day)
    expect((await dreamOn(id)).status).toBe(410)
  })
})

describe('a requested dream', () => {
  it('runs the given steps and reports their counts', async () => {
    const { options, stats } = await run('dream', { options: { steps: ['forget'] } })
    expect(options).toEqual({ steps: ['forget'] })
    expect(Object.keys(stats).sort()).toEqual([
      'archived',
      'forget_ms',
      'promoted_episodic',
      'promoted_semantic',
      'refreshed',
    ])
  })

  it.each([
    ['dream', { steps: ['sleep'] }, '/options/steps/0'],
    ['dream', { steps: [] }, '/options/steps'],
    ['dream', { stages: ['episodic'] }, '/options/stages'],
    ['consolidate', { steps: ['forget'] }, '/options/steps'],
    ['decay', { steps: ['forget'] }, '/options/steps'],
  ])('of job %s refuses %j', async (job, options, pointer) => {
    const answer = await app.request('POST', '/v1/maintenance/runs', { body: { job, options } })
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual([pointer])
  })

  it('runs on a schedule of one day by default', async () => {
    const { items } = (await app.request('GET', '/v1/maintenance/schedules')).body as Body
    expect(items).toContainEqual(expect.objectContaining({ job: 'dream', interval: '1d', enabled: true }))
  })

  it('archives by the configured retention, which the explanation shows', async () => {
    const slow = await startTestApp({ variables: { MEMBRANE_RETENTION_HUBER_DELTA: '60' } })
    for (const [instance, after, retained] of [
      [app, 410, 0.1373],
      [slow, 200, 0.3354],
    ] as const) {
      const { id } = await create(instance, {
        type: 'episodic',
        payload: payloads.episodic,
        ...slowlyFading,
        source_type: 'human',
        base_importance: 0,
      })
      instance.clock.advance(40 * day)
      await instance.request('POST', `/v1/records/${id}/access`)
      instance.clock.advance(52 * day)
      const explained = await instance.request('GET', `/v1/records/${id}/explain`)
      expect((explained.body as Body).retention.value).toBeCloseTo(retained, 3)
      await run('dream', {}, instance)
      expect((await instance.request('GET', `/v1/records/${id}`)).status).toBe(after)
    }
    await slow.close()
  })
})
