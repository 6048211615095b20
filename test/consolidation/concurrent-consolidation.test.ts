import { afterAll, beforeAll, expect, it } from 'vitest'
import { list, observe, ofType } from '../support/capture-requests.ts'
import { consolidate, experience, factsOf, hireIdle, newScope } from '../support/consolidation-requests.ts'
import type { Body } from '../support/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const idle = new AbortController().signal
const evidenceOf = ({ payload }: Body) => payload.evidence.length

it('workers that come at once make no twins', async () => {
  const scope = newScope()
  await Promise.all(list(60).map((n) => experience(app, `saying ${n % 7}`, {}, { scope })))
  await Promise.all(
    list(3).map(() => app.request('POST', '/v1/maintenance/runs', { body: { job: 'consolidate' } })),
  )
  await Promise.all(list(4).map(() => hireIdle(app).attend('consolidate', idle)))
  const facts = await factsOf(app, scope)
  expect(facts).toHaveLength(7)
  expect(facts.reduce((sum, fact) => sum + evidenceOf(fact), 0)).toBe(60)
  expect(facts.reduce((sum, { version }) => sum + version, 0)).toBe(60)
})

it('what is captured meanwhile is told once, whoever is first', async () => {
  for (const round of list(5)) {
    const scope = newScope()
    const told = { subject: 'deploy', predicate: 'observed_in' }
    await Promise.all(list(5).map((n) => experience(app, `saying ${n}`, {}, { scope })))
    const [captures] = await Promise.all([
      Promise.all(list(5).map((n) => observe(app, { ...told, object: `Saying ${n}` }, { scope }))),
      consolidate(app),
    ])
    const facts = await factsOf(app, scope)
    expect({ round, facts: facts.map(({ payload }) => payload.object.toLowerCase()).sort() }).toEqual({
      ...{ round, facts: list(5).map((n) => `saying ${n}`) },
    })
    expect(captures.flatMap((captured) => ofType(captured, 'semantic')).length).toBeLessThanOrEqual(5)
    expect(facts.map(evidenceOf)).toEqual([2, 2, 2, 2, 2])
  }
})

it('an outcome that is set meanwhile is not lost', async () => {
  const scope = newScope()
  const open = await Promise.all(
    list(20).map((n) => experience(app, `open ${n}`, { outcome: 'failure' }, { scope })),
  )
  const judge = ({ id }: Body) =>
    app.request('POST', `/v1/records/${id}/outcome`, { body: { outcome: 'success', actor: 'a' } })
  await Promise.all([...open.map(judge), consolidate(app), consolidate(app)])
  await consolidate(app)
  expect(await factsOf(app, scope)).toHaveLength(20)
})
