import { beforeEach, describe, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { createFacts, day, listForgotten, putBudget, runDecay } from '../support/requests/budget-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { retrieve } from '../support/requests/retrieval-requests.ts'
import type { TestApp } from '../support/test-app.ts'

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

async function reinforce(id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const body = { actor: 'ada', rationale: 'it helped' }
    expect((await app.request('POST', `/v1/records/${id}/reinforce`, { body })).status).toBe(200)
  }
}

const explain = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/explain`)).body

describe('a record that was reinforced', () => {
  it('is kept by a budget before others of more importance', async () => {
    const ids = await createFacts(app, 'a', 12)
    await putBudget(app, 'a', { max_records: 9 })
    app.clock.advance(2 * day)
    for (const id of ids.slice(0, 3)) await reinforce(id, 5)
    await runDecay(app)
    expect(await listForgotten(app, ids)).toEqual(ids.slice(3, 6))
  })

  it('is not kept for that once it has faded', async () => {
    const ids = await createFacts(app, 'a', 4)
    app.clock.advance(2 * day)
    await reinforce(ids[0] ?? '', 5)
    const used = (await explain(ids[0] ?? '')).keeping.value
    expect(used).toBeGreaterThan((await explain(ids[1] ?? '')).keeping.value)
    app.clock.advance(200 * day)
    await putBudget(app, 'a', { max_records: 3 })
    await runDecay(app)
    expect(await listForgotten(app, ids)).toEqual(ids.slice(0, 1))
  })

  it('says so in its explanation; to be part of an answer is no such use', async () => {
    const [id = ''] = await createFacts(app, 'a', 1)
    await retrieve(app, {})
    expect((await explain(id)).keeping.uses).toBe(0)
    await reinforce(id, 2)
    const { keeping } = await explain(id)
    expect(keeping.uses).toBe(2)
    const content = (keeping.importance + 3 * keeping.base_importance) / 4
    const used = 0.4 * (Math.log(3) / Math.log(6)) * Math.min(1, keeping.salience)
    expect(keeping.value).toBeCloseTo((content + used) * keeping.salience ** (1 / 32), 12)
  })
})
