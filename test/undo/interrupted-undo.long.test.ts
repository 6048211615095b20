import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createSessionEnder } from '../support/processes/end-session.ts'
import { range } from '../support/requests/capture-requests.ts'
import { captureEpisode, createScope, listRunChanges } from '../support/requests/consolidation-requests.ts'
import { perform, plan } from '../support/requests/plan-requests.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

/** Applications of plans and undos whose database session ends before any of their statements, and two workers at once. */

const idle = new AbortController().signal
const reason = { actor: 'operator', rationale: 'to compare' }
const day = 86_400_000

const attend = (app: TestApp, job: string) => createWorkerFor(app, noIntervals).runJob(job as 'undo', idle)

/** A description that can be compared between stores: no ids and no times. */
async function describeStore({ db }: TestApp): Promise<unknown> {
  const { rows } = await sql<Body>`
    select r.type, r.status, r.layer, r.version, round(r.salience::numeric, 4) as salience, r.forgotten_reason,
      c.payload ->> 'object' as object, c.payload #>> '{revision,status}' as revision,
      (select json_agg(a.action || ' ' || a.actor order by a.id) from audit_entries as a where a.record_id = r.id) as log,
      (select count(*)::int from relations as e where e.source_id = r.id) as edges
    from records as r join contents as c on c.record_id = r.id
    order by r.type, c.payload ->> 'object', c.payload #>> '{timeline,0,summary}', r.status
  `.execute(db)
  return rows
}

async function openFadedStore(): Promise<TestApp> {
  const app = await startTestApp()
  for (const n of range(4)) {
    await create(app, fact({ payload: { ...fact({}).payload, object: `fact ${n}` } }))
  }
  app.clock.advance(3_000 * day)
  return app
}

async function openStoreWithEpisodes(): Promise<TestApp> {
  const app = await startTestApp()
  const scope = createScope()
  for (const n of range(3)) await captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })
  return app
}

async function requestApplication(app: TestApp, job: string): Promise<Body> {
  const { id, digest } = await plan(app, job)
  const { body } = await app.request('POST', `/v1/maintenance/plans/${id}/apply`, { body: { digest } })
  return body as Body
}

const postUndo = async (app: TestApp, { id }: Body) =>
  (await app.request('POST', `/v1/maintenance/runs/${id}/undo`, { body: reason })).body as Body

const requestUndo = async (app: TestApp, job: string) => postUndo(app, await perform(app, job))

async function requestUndoOfUndo(app: TestApp, job: string): Promise<Body> {
  const { id } = await perform(app, job)
  return postUndo(app, await perform(app, 'undo', reason, `/v1/maintenance/runs/${id}/undo`))
}

const cases = [
  { name: 'an application of a decay', open: openFadedStore, job: 'decay', request: requestApplication },
  { name: 'an undo of a decay', open: openFadedStore, job: 'decay', request: requestUndo },
  { name: 'an undo of the undo of a decay', open: openFadedStore, job: 'decay', request: requestUndoOfUndo },
  {
    name: 'an application of a consolidation',
    open: openStoreWithEpisodes,
    job: 'consolidate',
    request: requestApplication,
  },
  {
    name: 'an undo of a consolidation',
    open: openStoreWithEpisodes,
    job: 'consolidate',
    request: requestUndo,
  },
]

describe.each(cases)('$name', ({ open, job, request }) => {
  async function prepare() {
    const app = await open()
    const requested = await request(app, job)
    const work = () => attend(app, requested.job).catch(() => 0)
    const readOutcome = async () => {
      const run = (await app.request('GET', `/v1/maintenance/runs/${requested.id}`)).body as Body
      const actions = (await listRunChanges(app, run)).map(({ action }) => action).sort()
      return { status: run.status, stats: run.stats, actions, store: await describeStore(app) }
    }
    return { app, work, readOutcome }
  }

  it('ends the same when its session ends before any statement', { timeout: 600_000 }, async () => {
    const whole = await prepare()
    const { statements } = await createSessionEnder(whole.app).count(whole.work)
    const expected = await whole.readOutcome()
    await whole.app.close()
    expect(expected.status).toBe('succeeded')
    expect(expected.actions.length).toBeGreaterThan(2)
    for (let nth = 1; nth <= statements; nth++) {
      const { app, work, readOutcome } = await prepare()
      await createSessionEnder(app).count(work, nth)
      app.clock.advance(31_000)
      await work()
      expect({ nth, ...(await readOutcome()) }).toEqual({ nth, ...expected })
      await app.close()
    }
  })

  it('ends the same with two workers at once', async () => {
    const one = await prepare()
    const two = await prepare()
    await one.work()
    await Promise.all([two.work(), two.work()])
    expect(await two.readOutcome()).toEqual(await one.readOutcome())
    await Promise.all([one.app.close(), two.app.close()])
  })
})
