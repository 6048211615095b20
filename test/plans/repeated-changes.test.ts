import { expect, it } from 'vitest'
import { openDreamApp } from '../support/apps/dream-app.ts'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { respondWithJson } from '../support/models/chat-server.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
} from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, plan } from '../support/requests/plan-requests.ts'
import { type Body, expectProblem, pointersOf, read } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

/** Plans that change a record more than once, or the records at both ends of an edge. */

const openApp = shareTestApp()

const reason = { actor: 'operator', rationale: 'it is needed' }
const hour = 3_600_000
const edgesOf = ({ relations }: Body) => relations.map(({ predicate }: Body) => predicate).sort()

/** The same in the plan that is applied an hour later and in the run. */
async function describeFact(app: TestApp, scope: string) {
  const [fact, ...others] = await listFacts(app, scope)
  const { version, payload, lifecycle, created_at } = (await read(app, fact?.id)) as Body
  const { anchored_at, prune_at, ...decay } = lifecycle.decay
  const ages = [anchored_at, prune_at].map((at) => at && Date.parse(at) - Date.parse(created_at))
  return { version, evidence: payload.evidence.length, edges: edgesOf(fact as Body), decay, ages, others }
}

it('a fact that a plan creates gets the evidence of every batch', async () => {
  const { app } = await openDreamApp(
    respondWithJson({ facts: [{ subject: 'Ada', predicate: 'prefers', object: 'tea' }] }),
  )
  const talk = async () => {
    const scope = createScope()
    for (const n of [1, 2, 3]) await captureEpisode(app, `talk ${n}`, { outcome: 'partial' }, { scope })
    return scope
  }
  const planned = await talk()
  const ran = await talk()
  const prepared = await plan(app, 'consolidate', { scope: planned, options: { ask_model: true } })
  await consolidate(app, { scope: ran })
  app.clock.advance(hour)
  expect((await apply(app, prepared)).stats).toMatchObject({ applied: 2, skipped: 0 })
  expect(await describeFact(app, planned)).toEqual(await describeFact(app, ran))
  expect(await describeFact(app, planned)).toMatchObject({ version: 3, evidence: 3 })
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a fact that a plan creates and reinforces at once begins its life when the plan is applied', async () => {
  const app = await openApp()
  const planned = createScope()
  const ran = createScope()
  for (const scope of [planned, planned, ran, ran])
    await captureEpisode(app, 'the build is slow', {}, { scope })
  const prepared = await plan(app, 'consolidate', { scope: planned })
  await consolidate(app, { scope: ran })
  app.clock.advance(hour)
  expect((await apply(app, prepared)).stats).toMatchObject({ skipped: 0 })
  expect(await describeFact(app, planned)).toEqual(await describeFact(app, ran))
  expect(await listBrokenLaws(app)).toEqual([])
})

it('an edge to a record that a plan leaves alone is left out at both ends', async () => {
  const app = await openApp()
  const scope = createScope()
  await captureEpisode(app, 'the build is slow', {}, { scope })
  await consolidate(app, { scope })
  const [fact] = (await listFacts(app, scope)) as [Body]
  const episode = await captureEpisode(app, 'the build is slow', {}, { scope })
  const prepared = await plan(app, 'consolidate', { scope })
  expect((await listPlanChanges(app, prepared)).map(({ action }) => action)).toContain('reinforce')
  await app.request('POST', `/v1/records/${fact.id}/reinforce`, { body: reason })
  expect((await apply(app, prepared)).stats.skipped).toBeGreaterThan(0)
  expect(edgesOf(await read(app, episode.id))).not.toContain('derives')
  expect(await listBrokenLaws(app)).toEqual([])
})

it('a name that is neither an action nor an id is refused', async () => {
  const app = await openApp()
  const { id, digest } = await plan(app, 'decay')
  for (const selection of [{ only: ['zz'] }, { except: ['archiv'] }]) {
    const answer = await app.request('POST', `/v1/maintenance/plans/${id}/apply`, {
      body: { digest, ...selection },
    })
    expectProblem(answer, 422, 'validation_failed')
  }
})

it('an action that the job of the plan never makes is refused, and names its place', async () => {
  const app = await openApp()
  const { id, digest } = await plan(app, 'decay')
  const ask = (selection: object) =>
    app.request('POST', `/v1/maintenance/plans/${id}/apply`, { body: { digest, ...selection } })
  const refused = [await ask({ only: ['prune', 'merge'] }), await ask({ except: ['purge'] })]
  for (const answer of refused) expectProblem(answer, 422, 'validation_failed')
  expect(refused.flatMap(pointersOf)).toEqual(['/only/1', '/except/0'])
  expect((await ask({ only: ['prune', id], except: ['forget', 'promote'] })).status).toBe(202)
})
