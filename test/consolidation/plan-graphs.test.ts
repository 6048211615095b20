import { afterAll, beforeEach, expect, it } from 'vitest'
import {
  captureEpisode,
  consolidate,
  createScope,
  listRecords,
  omitDurations,
} from '../support/requests/consolidation-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())
let scope: string
beforeEach(() => {
  scope = createScope()
})

const node = (id: string, tool: string, depends_on: string[] = [], args?: unknown) => ({
  id,
  tool,
  depends_on,
  ...(args === undefined ? {} : { args }),
})
/** Captures one second after the last, because of two at one instant neither is the first. */
const episode = (tool_graph: object[], more: object = {}) => {
  app.clock.advance(1_000)
  return captureEpisode(app, 'a release', { tool_graph, ...more }, { scope })
}
const plans = () => listRecords(app, `type=plan_graph&scope=${encodeURIComponent(scope)}`)

it('the stage plan_graph makes one plan of equal structures with any node names, and counts their outcomes', async () => {
  await episode([node('a', 'build'), node('b', 'test', ['a']), node('c', 'push', ['a', 'b'])])
  await episode([node('3', 'push', ['2', '1']), node('1', 'build'), node('2', 'test', ['1'])])
  await episode([node('x', 'build'), node('y', 'test', ['x']), node('z', 'push', ['x', 'y'])], {
    outcome: 'failure',
  })
  const run = await consolidate(app)
  expect(omitDurations(run)).toMatchObject({ plan_graphs_extracted: 1 })
  const [plan, ...others] = await plans()
  expect(others).toEqual([])
  expect(plan).toMatchObject({
    payload: {
      version: '1',
      intent: 'a release',
      nodes: [
        { id: 'a', op: 'build' },
        { id: 'b', op: 'test' },
        { id: 'c', op: 'push' },
      ],
      edges: [
        { from: 'a', to: 'b', kind: 'control' },
        { from: 'a', to: 'c', kind: 'control' },
        { from: 'b', to: 'c', kind: 'control' },
      ],
      metrics: { execution_count: 3, failure_rate: 1 / 3 },
    },
    provenance: { created_by: 'consolidation/plan-graph' },
  })
  for (const _ of [1, 2, 3]) await consolidate(app)
  expect(await plans()).toEqual([plan])
})

it('the stage plan_graph makes separate plans of different structures, and none of failed, small or cyclic ones', async () => {
  await episode([node('a', 'x'), node('b', 'y', ['a']), node('c', 'z', ['b'])])
  await episode([node('a', 'x'), node('b', 'y', ['a']), node('c', 'z', ['a'])])
  await episode([node('a', 'x'), node('b', 'y')])
  await episode([node('a', 'x', ['c']), node('b', 'y', ['a']), node('c', 'z', ['b'])])
  await episode([node('a', 'q'), node('b', 'q'), node('c', 'q')], { outcome: 'failure' })
  expect(omitDurations(await consolidate(app))).toMatchObject({
    plan_graphs_extracted: 2,
    extraction_skipped: 0,
  })
  expect(await plans()).toHaveLength(2)
})

it('the stage plan_graph stores no secrets from tool arguments and no dependency on a missing node', async () => {
  const args = { path: '/r', apiToken: 'hunter22', keyboard: 'qwerty', env: [{ DB_PASSWORD: 'hunter22' }] }
  await episode([
    node('a', 'x', ['gone'], args),
    node('b', 'y', ['a', 'a'], 'git clone https://me:hunter22@host.example/r'),
    node('a', 'z', [], ['--token', 'hunter22']),
  ])
  await consolidate(app)
  const [plan] = await plans()
  expect(JSON.stringify(plan)).not.toContain('hunter22')
  expect(plan?.payload.nodes).toMatchObject([
    { id: 'a', params: { path: '/r', apiToken: '<secret string>', keyboard: 'qwerty' } },
    { id: 'b' },
    { id: 'a (2)', params: { value: ['--token', '<secret string>'] } },
  ])
  expect(plan?.payload.edges).toEqual([{ from: 'a', to: 'b', kind: 'control' }])
})
