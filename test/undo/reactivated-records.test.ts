import { afterAll, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { captureEpisode, createScope, listRunChanges } from '../support/requests/consolidation-requests.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

/** Records that a run created, an undo retracted and a client made active again. */

const app = await startTestApp()
afterAll(() => app.close())

const reason = { actor: 'operator', rationale: 'it was too early' }
const day = 86_400_000
const tools = ['lint', 'test', 'ship'].map((tool, n) => ({
  id: tool,
  tool,
  depends_on: n > 0 ? ['lint'] : [],
}))

async function consolidateTwice(): Promise<{ scope: string; created: Map<string, string> }> {
  const scope = createScope()
  for (const text of ['the release is out', 'the release is out again'])
    await captureEpisode(app, text, { tool_graph: tools }, { scope })
  const run = await perform(app, 'consolidate', { job: 'consolidate', scope })
  const ids = (await listRunChanges(app, run)).flatMap((each) =>
    each.action === 'create' ? (each.record_id as string) : [],
  )
  app.clock.advance(15 * day)
  const undone = await perform(app, 'undo', reason, `/v1/maintenance/runs/${run.id}/undo`)
  expect(undone.stats).toMatchObject({ undone: ids.length, kept: 0 })
  const created = new Map<string, string>()
  for (const id of ids) {
    const body = { status: 'active', reason: 'it holds', actor: 'ada' }
    const { status, body: record } = await app.request('POST', `/v1/records/${id}/status`, { body })
    expect(status).toBe(200)
    created.set((record as Body).type, id)
  }
  return { scope, created }
}

it('they have the salience that they had, and are not forgotten at once', async () => {
  const { created } = await consolidateTwice()
  for (const id of created.values()) expect((await read(app, id)).salience).toBeCloseTo(Math.SQRT1_2, 2)
  await perform(app, 'decay')
  for (const id of created.values()) expect((await read(app, id)).status).toBe('active')
})

it('they count each of their episodes once when these are consolidated again', async () => {
  const { scope, created } = await consolidateTwice()
  const facts = [await read(app, created.get('semantic') ?? '')]
  await perform(app, 'consolidate', { job: 'consolidate', scope })
  const again = await read(app, created.get('semantic') ?? '')
  expect(again.payload.evidence).toEqual(facts[0].payload.evidence)
  const skill = await read(app, created.get('competence') ?? '')
  expect(skill.payload.performance).toMatchObject({ success_count: 2, failure_count: 0 })
  expect((await read(app, created.get('plan_graph') ?? '')).payload.metrics.execution_count).toBe(2)
  expect(skill.relations.map(({ predicate }: Body) => predicate)).toEqual(['derived_from', 'derived_from'])
  expect(await listBrokenLaws(app)).toEqual([])
})
