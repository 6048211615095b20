import { afterAll, beforeEach, expect, it } from 'vitest'
import { forget } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listRecords,
  listRunChanges,
  omitDurations,
} from '../support/requests/consolidation-requests.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())
let scope: string
beforeEach(() => {
  scope = createScope()
})

const graph = (...tools: string[]) => tools.map((tool, n) => ({ id: String(n), tool }))
const episode = (tools: string[], more: object = {}, given: object = {}) =>
  captureEpisode(app, 'the release', { tool_graph: graph(...tools), ...more }, { scope, ...given })
const skills = () => listRecords(app, `type=competence&scope=${encodeURIComponent(scope)}`)
const setOutcome = (id: string, outcome: string) =>
  app.request('POST', `/v1/records/${id}/outcome`, { body: { outcome, actor: 'desk', rationale: 'seen' } })
const performanceOf = async () => (await skills())[0]?.payload.performance

it('the stage competence makes a skill of two successes, and counts its failures', async () => {
  const failed = await episode(['build', 'push'], { outcome: 'failure' })
  const first = await episode(['build', 'push'])
  expect(omitDurations(await consolidate(app))).toMatchObject({ competence_extracted: 0 })
  const second = await episode(['build', 'build', 'push'], {}, { tags: ['release'] })
  const run = await consolidate(app)
  expect(omitDurations(run)).toMatchObject({ competence_extracted: 1 })
  const [skill, ...others] = await skills()
  expect(others).toEqual([])
  expect(skill).toMatchObject({
    payload: {
      skill_name: 'build, then push',
      required_tools: ['build', 'push'],
      recipe: [{ tool: 'build' }, { tool: 'push' }],
      triggers: [{ signal: 'the release' }],
      performance: { success_count: 2, failure_count: 1, success_rate: 2 / 3 },
    },
    version: 1,
    tags: ['consolidated', 'release'],
    sensitivity: 'low',
    provenance: { created_by: 'consolidation/competence' },
    lifecycle: { decay: { half_life_seconds: 2_592_000 } },
  })
  const sources = skill?.relations.filter(({ predicate }: Body) => predicate === 'derived_from')
  expect(sources.map(({ target_id: id }: Body) => id).sort()).toEqual([failed.id, first.id, second.id].sort())
  expect((await listRunChanges(app, run)).filter(({ record_id: id }) => id === skill?.id)).toMatchObject([
    { action: 'create', after: { type: 'competence' } },
  ])
})

it('the stage competence reinforces a skill once for each success and counts failures', async () => {
  for (const _ of [1, 2]) await episode(['a', 'b'])
  await consolidate(app)
  app.clock.advance(10 * 86_400_000)
  const [before] = await skills()
  await episode(['a', 'b'])
  app.clock.advance(1)
  await episode(['a', 'b'], { outcome: 'failure' })
  expect(omitDurations(await consolidate(app))).toMatchObject({ competence_extracted: 0 })
  const [after] = await skills()
  expect(after).toMatchObject({
    version: 3,
    payload: { performance: { success_count: 3, failure_count: 1 } },
  })
  expect(after?.salience).toBeCloseTo(before?.salience + 0.1, 9)
  expect(after?.audit_log.map(({ action }: Body) => action)).toEqual(['create', 'reinforce', 'revise'])
  for (const _ of [1, 2, 3]) await consolidate(app)
  expect(await skills()).toEqual([after])
})

it('the stage competence counts a corrected outcome once, as what it is now', async () => {
  const [one] = [await episode(['c']), await episode(['c'])]
  await consolidate(app)
  await setOutcome(one.id, 'failure')
  await consolidate(app)
  expect(await performanceOf()).toMatchObject({ success_count: 1, failure_count: 1 })
  await setOutcome(one.id, 'partial')
  await consolidate(app)
  expect(await performanceOf()).toMatchObject({ success_count: 1, failure_count: 0 })
  await setOutcome(one.id, 'success')
  await consolidate(app)
  expect(await performanceOf()).toMatchObject({ success_count: 2, failure_count: 0 })
  expect((await skills())[0]?.audit_log.map(({ action }: Body) => action)).not.toContain('reinforce')
})

it('the stage competence does not count a success that was corrected before a second one came', async () => {
  const one = await episode(['d'])
  await consolidate(app)
  await setOutcome(one.id, 'failure')
  await episode(['d'])
  await consolidate(app)
  expect(await skills()).toEqual([])
  await episode(['d'])
  await consolidate(app)
  expect(await performanceOf()).toMatchObject({ success_count: 2, failure_count: 1 })
})

it('the stage competence makes a skill when a failure is corrected to a second success', async () => {
  const one = await episode(['i'], { outcome: 'failure' })
  await episode(['i'])
  await consolidate(app)
  await setOutcome(one.id, 'success')
  await consolidate(app)
  expect(await performanceOf()).toMatchObject({ success_count: 2, failure_count: 0 })
})

it('the stage competence keeps scopes, sensitivities and orders of tools apart', async () => {
  await episode(['e', 'f'])
  await episode(['f', 'e'])
  await episode(['e', 'f'], {}, { sensitivity: 'high' })
  await episode(['e', 'f'], {}, { scope: createScope() })
  await consolidate(app)
  expect(await skills()).toEqual([])
})

it('the stage competence does not count a forgotten episode until it is restored', async () => {
  const one = await episode(['g'])
  await consolidate(app)
  await forget(app, one.id)
  await episode(['g'])
  await consolidate(app)
  expect(await skills()).toEqual([])
  await app.request('POST', `/v1/records/${one.id}/restore`, { body: { actor: 'a', rationale: 'r' } })
  await consolidate(app)
  expect(await performanceOf()).toMatchObject({ success_count: 2 })
})

it('the stage competence changes neither pinned skills nor skills that a client wrote', async () => {
  const written = await create(app, {
    type: 'competence',
    scope,
    payload: { kind: 'competence', skill_name: 'by hand', recipe: [{ step: 'h', tool: 'h' }] },
  })
  for (const _ of [1, 2]) await episode(['h'])
  await consolidate(app)
  expect(await read(app, written.id)).toMatchObject({ version: 1 })
  const learnt = (await skills()).find(({ id }) => id !== written.id)
  await app.request('POST', `/v1/records/${learnt?.id}/pin`, { body: { actor: 'a', rationale: 'r' } })
  const pinned = await read(app, learnt?.id)
  await episode(['h'])
  await consolidate(app)
  expect(await read(app, learnt?.id)).toEqual(pinned)
  expect(await skills()).toHaveLength(2)
})
