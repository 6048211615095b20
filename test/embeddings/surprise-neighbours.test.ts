import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { emptyApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact, payloads } from '../support/requests/record-requests.ts'
import { buildClaim, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const app = await startTestApp()
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const frozen = 'deployments of the billing service are frozen in december'
const write = async (object: string, more: object = {}): Promise<string> => {
  app.clock.advance(10)
  return (await create(app, fact({ payload: { ...payloads.semantic, object }, ...more }))).id
}
const run = () => createEmbeddingWorker(app).run()
const forget = (id: string) => app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=r`)

async function surpriseOf(id: string): Promise<Body> {
  return ((await app.request('GET', `/v1/records/${id}/explain`)).body as Body).surprise
}

describe('a neighbour in the comparison for surprise', () => {
  const isNews = async (id: string) =>
    expect(await surpriseOf(id)).toMatchObject({ score: 1, neighbours: [] })

  it('has the same scope, or none if the record has none', async () => {
    const ids = [
      await write(frozen, { scope: 'a' }),
      await write(frozen),
      await write(frozen, { scope: 'b' }),
    ]
    await run()
    for (const id of ids) await isNews(id)
  })

  it('has at most the same sensitivity', async () => {
    await write(frozen, { sensitivity: 'high' })
    const later = await write(frozen)
    await run()
    await isNews(later)
  })

  it('is neither forgotten, superseded nor invalidated', async () => {
    const gone = await write(frozen, { scope: 'a' })
    const wrong = await write(frozen, { scope: 'b' })
    const old = await write(frozen, { scope: 'c' })
    await run()
    await forget(gone)
    await app.request('POST', `/v1/records/${wrong}/retract`, { body: { actor: 'ada', rationale: 'wrong' } })
    const successor = buildClaim('the cat sleeps on the printer', { scope: 'c' })
    expect((await revise(app, 'supersede', old, { record: successor })).status).toBe(201)
    const later = [
      await write(frozen, { scope: 'a' }),
      await write(frozen, { scope: 'b' }),
      await write(frozen, { scope: 'c' }),
    ]
    await run()
    await isNews(later[0] ?? '')
    await isNews(later[1] ?? '')
    expect((await surpriseOf(later[2] ?? '')).neighbours.map(({ id }: Body) => id)).not.toContain(old)
  })

  it('may be challenged', async () => {
    const first = await write(frozen)
    await app.request('POST', `/v1/records/${first}/status`, {
      body: { status: 'challenged', reason: 'r', actor: 'ada' },
    })
    const second = await write(frozen)
    await run()
    expect(await surpriseOf(second)).toMatchObject({ duplicate_of: first })
  })

  it('is one of the five nearest, stored with its similarity', async () => {
    for (const day of ['monday', 'tuesday', 'friday', 'sunday', 'easter', 'whitsun'])
      await write(`the office is closed on ${day}`)
    const queried = await write('the office is closed on thursday')
    await run()
    const { neighbours, score, delta } = await surpriseOf(queried)
    const similarities = neighbours.map(({ similarity }: Body) => similarity)
    expect(similarities).toHaveLength(5)
    expect(similarities).toEqual([...similarities].sort((one, other) => other - one))
    const distance = similarities.reduce((sum: number, each: number) => sum + 1 - each, 0) / 5
    expect(score).toBeCloseTo(1 / (1 + Math.exp(-10 * (distance - 0.35))), 9)
    if (similarities[0] < 0.92) expect(delta).toBeCloseTo(0.6 * (score - 0.5), 9)
  })
})
