import { afterAll, expect, it } from 'vitest'
import { captureFact, pickCreated, range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  createUnscheduledWorker,
  listFacts,
} from '../support/requests/consolidation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const idle = new AbortController().signal
const evidenceOf = ({ payload }: Body) => payload.evidence.length

it('concurrent consolidation workers create each fact once', async () => {
  const scope = createScope()
  await Promise.all(range(30).map((n) => captureEpisode(app, `saying ${n % 7}`, {}, { scope })))
  await Promise.all(
    range(3).map(() => app.request('POST', '/v1/maintenance/runs', { body: { job: 'consolidate' } })),
  )
  await Promise.all(range(4).map(() => createUnscheduledWorker(app).runJob('consolidate', idle)))
  const facts = await listFacts(app, scope)
  expect(facts).toHaveLength(7)
  expect(facts.reduce((sum, fact) => sum + evidenceOf(fact), 0)).toBe(30)
  expect(facts.reduce((sum, { version }) => sum + version, 0)).toBe(30)
})

it('a fact that is captured during consolidation exists once, whichever commits first', async () => {
  for (const round of range(2)) {
    const scope = createScope()
    const factParts = { subject: 'deploy', predicate: 'observed_in' }
    await Promise.all(range(5).map((n) => captureEpisode(app, `saying ${n}`, {}, { scope })))
    const [captures] = await Promise.all([
      Promise.all(range(5).map((n) => captureFact(app, { ...factParts, object: `Saying ${n}` }, { scope }))),
      consolidate(app),
    ])
    const facts = await listFacts(app, scope)
    expect({ round, facts: facts.map(({ payload }) => payload.object.toLowerCase()).sort() }).toEqual({
      round,
      facts: range(5).map((n) => `saying ${n}`),
    })
    expect(captures.flatMap((captured) => pickCreated(captured, 'semantic')).length).toBeLessThanOrEqual(5)
    expect(facts.map(evidenceOf)).toEqual([2, 2, 2, 2, 2])
  }
})

it('an outcome that is set during consolidation is learned from', async () => {
  const scope = createScope()
  const open = await Promise.all(
    range(20).map((n) => captureEpisode(app, `open ${n}`, { outcome: 'failure' }, { scope })),
  )
  const judge = ({ id }: Body) =>
    app.request('POST', `/v1/records/${id}/outcome`, { body: { outcome: 'success', actor: 'a' } })
  await Promise.all([...open.map(judge), consolidate(app), consolidate(app)])
  await consolidate(app)
  expect(await listFacts(app, scope)).toHaveLength(20)
})
