import { afterAll, expect, it } from 'vitest'
import { listBatches, listEffects, replay } from '../../src/effects/index.ts'
import { range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
} from '../support/requests/consolidation-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

async function takeBack(runId: string) {
  const batches = await listBatches(app.db, runId)
  const blocked = new Map<string, string>()
  for (const batch of batches.reverse()) {
    const result = await app.db
      .transaction()
      .execute(async (tx) => replay(tx, await listEffects(tx, runId, batch), { direction: 'backward' }))
    for (const [id, reason] of result.blocked) blocked.set(id, reason)
  }
  return blocked
}

it('takes a run back, row by row', async () => {
  const scope = createScope()
  await Promise.all(range(3).map((n) => captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })))
  const { id: run } = await consolidate(app)
  expect(await listFacts(app, scope)).toHaveLength(3)
  expect(await takeBack(run)).toEqual(new Map())
  expect(await listFacts(app, scope)).toEqual([])
})

it('leaves a record alone that changed since', async () => {
  const scope = createScope()
  await Promise.all(range(2).map((n) => captureEpisode(app, `the tests take ${n} minutes`, {}, { scope })))
  const { id: run } = await consolidate(app)
  const [kept, other] = await listFacts(app, scope)
  await app.request('PATCH', `/v1/records/${kept?.id}`, { body: { tags: ['mine'] } })
  const blocked = await takeBack(run)
  expect(blocked.get(kept?.id)).toBe('it changed since')
  expect((await listFacts(app, scope)).map(({ id }) => id)).toEqual([kept?.id])
  expect(blocked.has(other?.id)).toBe(false)
})
