import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, expectProblem, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const reason = { actor: 'agent', rationale: 'it helped' }
const fading = (decay: object, more: object = {}) => fact({ lifecycle: { decay }, ...more })

describe('bulk reinforcement', () => {
  it('applies what is possible in one transaction and reports the refused records', async () => {
    const records: Body[] = []
    for (let index = 0; index < 3; index++) {
      records.push(await create(app, fading({ reinforcement_gain: 0.1 }, { salience: 0.5 })))
    }
    const ids = [...records.map((record) => record.id), app.ids.next()]
    const body = { ids, ...reason }
    const answer = await app.request('POST', '/v1/records/reinforce', { body })
    const { results } = answer.body as Body
    expect(results.map((result: Body) => [result.id, result.status])).toEqual(
      ids.map((id, index) => [id, index === 3 ? 404 : 200]),
    )
    for (const result of results.slice(0, 3)) expect(await read(app, result.id)).toEqual(result.record)
    expect(results[0].record.salience).toBe(0.6)
    const twice = { ...body, ids: [ids[0], ids[0].toUpperCase()], amount: 0.1 }
    await app.request('POST', '/v1/records/penalize', { body: twice })
    expect(await read(app, ids[0])).toMatchObject({ salience: 0.5, version: 3 })
    expectProblem(
      await app.request('POST', '/v1/records/reinforce', { body: { ...body, ids: [ids[0], ids[0]] } }),
      422,
      'validation_failed',
    )
  })

  it('of overlapping sets in any order does not deadlock', async () => {
    const records: string[] = []
    for (let index = 0; index < 12; index++)
      records.push((await create(app, fading({ reinforcement_gain: 0.1 }))).id)
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const ids = [...records.slice(index % 12), ...records.slice(0, index % 12)].slice(0, 8)
        return app.request('POST', '/v1/records/reinforce', { body: { ids, ...reason } })
      }),
    )
    for (const { status } of answers) expect(status).toBe(200)
    const { count } = await app.db
      .selectFrom('audit_entries')
      .where('action', '=', 'reinforce')
      .where('record_id', 'in', records)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(24 * 8)
  })
})
