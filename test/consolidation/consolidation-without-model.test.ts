import { afterAll, expect, it } from 'vitest'
import { capture, range, readAllRows } from '../support/requests/capture-requests.ts'
import {
  consolidate,
  createScope,
  listRecords,
  omitDurations,
  zeroCounts,
} from '../support/requests/consolidation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000
const scope = createScope()

/** Captures a tool graph like an agent, and sets its outcome later. */
async function release(outcome: string): Promise<Body> {
  const tool_graph = ['build', 'test', 'ship'].map((tool, n) => ({
    id: `${n}`,
    tool,
    args: { target: 'shop', token: 'hunter2' },
    depends_on: n === 0 ? [] : [`${n - 1}`],
  }))
  const content = { event_kind: 'deploy', tool_graph }
  const { primary_record: episode } = await capture(app, content, { scope, summary: 'shop went out' })
  const body = { outcome, actor: 'desk', rationale: 'the smoke test' }
  const { status } = await app.request('POST', `/v1/records/${episode.id}/outcome`, { body })
  expect(status).toBe(200)
  return episode
}

const ofType = (type: string) => listRecords(app, `type=${type}&scope=${encodeURIComponent(scope)}`)
const salienceOf = ([record]: Body[]) => record?.salience

it('consolidation without a model turns episodes into facts, a skill and a plan, once', async () => {
  await release('success')
  await release('failure')
  await release('success')
  app.clock.advance(day)
  const first = await consolidate(app)
  expect(omitDurations(first)).toMatchObject({
    episodic_compressed: 3,
    semantic_extracted: 1,
    competence_extracted: 1,
    plan_graphs_extracted: 1,
    semantic_triples_extracted: 0,
    extraction_skipped: 0,
  })
  const [facts, skills, plans] = await Promise.all(['semantic', 'competence', 'plan_graph'].map(ofType))
  expect(facts?.map(({ payload }) => [payload.object, payload.evidence.length])).toEqual([
    ['shop went out', 2],
  ])
  expect(skills?.map(({ payload }) => payload.performance)).toMatchObject([
    { success_count: 2, failure_count: 1 },
  ])
  expect(plans?.map(({ payload }) => payload.nodes.map(({ op }: Body) => op))).toEqual([
    ['build', 'test', 'ship'],
  ])
  expect(JSON.stringify([facts, skills, plans])).not.toContain('hunter2')

  const before = await readAllRows(app)
  for (const _ of range(3)) expect(omitDurations(await consolidate(app))).toEqual(zeroCounts)
  expect(await readAllRows(app)).toEqual(before)

  app.clock.advance(20 * day)
  const faded = await Promise.all(['semantic', 'competence', 'plan_graph'].map(ofType))
  await release('success')
  await consolidate(app)
  const again = await Promise.all(['semantic', 'competence', 'plan_graph'].map(ofType))
  expect(again.map((records) => records.length)).toEqual([1, 1, 1])
  for (const [index, records] of again.slice(0, 2).entries()) {
    expect(salienceOf(records)).toBeCloseTo(salienceOf(faded[index] ?? []) + 0.1, 9)
  }
  expect(again[1]?.[0].payload.performance).toMatchObject({ success_count: 3, failure_count: 1 })
})
