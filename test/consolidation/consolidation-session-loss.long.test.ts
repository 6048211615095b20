import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { createSessionEnder } from '../support/processes/end-session.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  createUnscheduledWorker,
  listRunChanges,
  omitDurations,
} from '../support/requests/consolidation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const day = 86_400_000
const idle = new AbortController().signal

const app = await startTestApp()
const sessionEnder = createSessionEnder(app)
afterAll(() => app.close())

/** Reads a scope without ids and without values that decay while a lease expires. */
async function stateOf(scope: string): Promise<unknown[]> {
  const { rows } = await sql`
    select r.type, r.version, round(r.base_salience::numeric, 3) as base, c.tags, c.payload ->> 'object' as object,
      jsonb_array_length(c.payload -> 'evidence') as evidence,
      (select json_agg(json_build_array(action, actor) order by a.id) from audit_entries as a where a.record_id = r.id)
        as audit,
      (select json_agg(e.predicate order by e.predicate, e.target_id) from relations as e where e.source_id = r.id)
        as edges,
      (select json_agg(json_build_array(u.stage, u.attempts) order by u.stage) from unconsolidated as u
        where u.record_id = r.id) as left_to_do
    from records as r join contents as c on c.record_id = r.id
    where r.scope = ${scope}
    order by r.type, c.payload ->> 'object', c.payload -> 'timeline' -> 0 ->> 'summary', r.created_at
  `.execute(app.db)
  return rows
}

const graph = ['build', 'test', 'ship'].map((tool, n) => ({ id: `${n}`, tool }))

/** Creates known, new and repeated facts, a known skill and plan, and old, young and compressed episodes. */
async function prepare(): Promise<{ scope: string; id: string }> {
  const scope = createScope()
  const experienceAll = async (summaries: readonly string[]) => {
    for (const summary of summaries) {
      await captureEpisode(app, summary, { tool_graph: graph }, { scope })
      app.clock.advance(1)
    }
  }
  await experienceAll(['known', 'other'])
  app.clock.advance(day)
  await consolidate(app, { scope })
  await experienceAll(['known', 'new', 'new', 'twice'])
  app.clock.advance(2 * day)
  await experienceAll(['known', 'twice', 'last'])
  const options = { body: { job: 'consolidate', scope } }
  const { body } = await app.request('POST', '/v1/maintenance/runs', options)
  return { scope, id: (body as Body).id }
}

async function readResult({ scope, id }: { scope: string; id: string }) {
  const run = (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body
  const actions = (await listRunChanges(app, run)).map(({ action }) => action).sort()
  const { status, progress } = run
  return { status, progress, actions, figures: omitDurations(run), state: await stateOf(scope) }
}

it('consolidation has the same result when its database session ends before any of its statements', async () => {
  const attend = () => createUnscheduledWorker(app).runJob('consolidate', idle)
  const whole = await prepare()
  const { statements } = await sessionEnder.count(attend)
  const undisturbed = await readResult(whole)
  expect(undisturbed).toMatchObject({
    status: 'succeeded',
    progress: { done: 25, total: 25 },
    figures: { episodic_compressed: 4, semantic_extracted: 3, duplicates_resolved: 18 },
  })
  expect(statements).toBeGreaterThan(25)
  for (let nth = 1; nth <= statements; nth++) {
    const disturbed = await prepare()
    await sessionEnder.count(() => attend().catch(() => 0), nth)
    app.clock.advance(31_000)
    await attend()
    expect({ nth, ...(await readResult(disturbed)) }).toEqual({ nth, ...undisturbed })
  }
}, 300_000)
