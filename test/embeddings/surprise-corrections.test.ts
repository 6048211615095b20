import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { emptyApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const app = await startTestApp()
afterAll(() => app.close())
afterEach(() => emptyApp(app))

const say = (day: string, more = '') =>
  `the quarterly invoices of the billing service for the northern region are sent to the accounting office on day ${day}${more}`

async function write(object: string, more: object = {}): Promise<string> {
  app.clock.advance(10)
  return (
    await create(app, fact({ payload: { ...payloads.semantic, object }, base_importance: 0.5, ...more }))
  ).id
}
const run = () => createEmbeddingWorker(app).run()
const surpriseOf = async (id: string): Promise<Body> =>
  ((await app.request('GET', `/v1/records/${id}/explain`)).body as Body).surprise

describe('a correction in nearly the same words', () => {
  it('is no duplicate and confirms nothing', async () => {
    const first = await write(say('14'))
    const second = await write(say('27'), { source_type: 'ai' })
    expect((await run()).stats).toMatchObject({ compared: 2, duplicates: 0 })
    const surprise = await surpriseOf(second)
    expect(surprise.neighbours[0]).toMatchObject({ id: first })
    expect(surprise.neighbours[0].similarity).toBeGreaterThan(0.92)
    expect(surprise).not.toHaveProperty('duplicate_of')
    expect((await read(app, first)).confirmation_count).toBe(0)
  })

  it('loses what its words repeat, and not more', async () => {
    await write(say('14'))
    const second = await write(say('27'))
    await run()
    const { score, delta } = await surpriseOf(second)
    expect(delta).toBeCloseTo(0.6 * (score - 0.5), 12)
  })

  it('is previewed like that', async () => {
    const first = await write(say('14'))
    await run()
    const preview = async (text: string) =>
      (await app.request('POST', '/v1/surprise/preview', { body: { text } })).body as Body
    const { subject, predicate } = payloads.semantic as Body
    const build = (day: string, more = '') => `${subject} ${predicate} ${say(day, more)}`
    expect(await preview(build('27'))).not.toHaveProperty('duplicate_of')
    expect(await preview(build('14'))).toMatchObject({ duplicate_of: first })
    expect(await preview(build('14', ' indeed'))).toMatchObject({ duplicate_of: first })
  })
})
