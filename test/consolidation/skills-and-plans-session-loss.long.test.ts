import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createSessionEnder } from '../support/processes/end-session.ts'
import {
  captureEpisode,
  consolidate,
  createUnscheduledWorker,
  listRunChanges,
  omitDurations,
} from '../support/requests/consolidation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** Skills and plans after lost sessions and with concurrent workers. */

async function stateOf(app: TestApp): Promise<unknown> {
  const { rows } = await sql`
    select r.type, r.version, round(base_salience::numeric, 3) as base, c.tags, c.payload,
      (select json_agg(json_build_array(action, actor) order by a.id) from audit_entries as a where a.record_id = r.id)
        as audit,
      (select count(*)::int from relations as e where e.source_id = r.id) as edges
    from records as r join contents as c on c.record_id = r.id
    where r.type in ('competence', 'plan_graph')
    order by r.type, c.payload ->> 'skill_name', c.payload ->> 'plan_id'
  `.execute(app.db)
  const { rows: counted } = await sql`
    select stage, outcome, count(*)::int from episode_tallies group by 1, 2 order by 1, 2
  `.execute(app.db)
  return { rows, counted }
}

/** Creates a known and a pending skill and plan, new ones, failures, and a corrected outcome. */
async function prepare(): Promise<TestApp> {
  const app = await startTestApp()
  const use = async (tools: string, outcome = 'success') => {
    app.clock.advance(1)
    const graph = [...tools].map((tool, n) => ({
      id: String(n),
      tool,
      depends_on: n === 0 ? [] : [String(n - 1)],
    }))
    return captureEpisode(app, 'a task', { tool_graph: graph, outcome })
  }
  const first = await use('abc')
  for (const tools of ['abc', 'bcd', 'xy']) await use(tools)
  await consolidate(app)
  for (const tools of ['abc', 'bcd', 'bcd', 'xy', 'pqr', 'pqr', 'z']) await use(tools)
  for (const tools of ['abc', 'pqr']) await use(tools, 'failure')
  const body = { outcome: 'failure', actor: 'desk', rationale: 'seen' }
  await app.request('POST', `/v1/records/${first.id}/outcome`, { body })
  return app
}

const idle = new AbortController().signal
const stages = ['competence', 'plan_graph']

async function ask(app: TestApp): Promise<string> {
  const body = { job: 'consolidate', options: { stages } }
  return ((await app.request('POST', '/v1/maintenance/runs', { body: body })).body as Body).id
}

const runOf = async (app: TestApp, id: string) =>
  (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body

it('skills and plans are the same when a database session ends before any statement of the run', async () => {
  let uninterrupted: { state: unknown; figures: unknown; changes: number; statements: number } | undefined
  for (let nth = 0; nth <= (uninterrupted?.statements ?? 0); nth++) {
    const app = await prepare()
    const id = await ask(app)
    const attend = () =>
      createUnscheduledWorker(app)
        .runJob('consolidate', idle)
        .catch(() => 0)
    const { statements } = await createSessionEnder(app).count(attend, nth === 0 ? undefined : nth)
    if (nth > 0) {
      app.clock.advance(31_000)
      await createUnscheduledWorker(app).runJob('consolidate', idle)
    }
    const run = await runOf(app, id)
    const now = {
      state: await stateOf(app),
      figures: omitDurations(run),
      changes: (await listRunChanges(app, run)).length,
    }
    uninterrupted ??= { ...now, statements }
    expect({ nth, status: run.status, ...now }).toMatchObject({
      nth,
      status: 'succeeded',
      state: uninterrupted.state,
      figures: uninterrupted.figures,
      changes: uninterrupted.changes,
    })
    await app.close()
  }
  expect(uninterrupted?.statements).toBeGreaterThan(20)
}, 300_000)

it('two concurrent workers create no duplicate skills and plans, nor do further runs', async () => {
  const app = await prepare()
  const id = await ask(app)
  const workers = [createUnscheduledWorker(app), createUnscheduledWorker(app)]
  await Promise.all(workers.map((worker) => worker.runJob('consolidate', idle)))
  expect(await runOf(app, id)).toMatchObject({ status: 'succeeded' })
  const after = await stateOf(app)
  for (const _ of [1, 2, 3]) await consolidate(app, { options: { stages } })
  expect(await stateOf(app)).toEqual(after)
  const { rows } = await sql`
    select type, payload ->> 'skill_name' as name, count(*)::int as count
    from records join contents on record_id = id where type = 'competence' group by 1, 2 having count(*) > 1
  `.execute(app.db)
  expect(rows).toEqual([])
  await app.close()
})
