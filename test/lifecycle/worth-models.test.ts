import { afterAll, describe, expect, it } from 'vitest'
import { shippedWorthWeights } from '../../src/domain/worth/worth-weights.ts'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const reader = await app.issueKey(['records:read'])
afterAll(() => app.close())

const reason = { actor: 'ada', rationale: 'as shipped' }
const list = async (): Promise<Body[]> =>
  ((await app.request('GET', '/v1/worth/models', { key: reader })).body as Body).items
const activate = (id: string, body: object = reason, key?: string) =>
  app.request('POST', `/v1/worth/models/${id}/activate`, { body, ...(key === undefined ? {} : { key }) })

describe('the models of worth', () => {
  it('are the shipped one, by which new records are judged', async () => {
    const models = await list()
    expect(models).toMatchObject([{ source: 'shipped', in_force: true, uses: 0 }])
    const { id } = await create(app, fact())
    const { worth } = (await app.request('GET', `/v1/records/${id}/explain`)).body as Body
    const weights = worth.parts.map(({ name, weight }: Body) => [name, weight])
    expect(Object.fromEntries(weights)).toEqual(shippedWorthWeights)
    expect(worth.learned).toBe(false)
  })

  it('stay as they are when the one in force is activated', async () => {
    const [model, ...others] = await list()
    expect(others).toEqual([])
    for (const body of [reason, { ...reason, pinned: true }]) {
      const answer = await activate(model?.id, body)
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: model })
    }
    expect(await list()).toEqual([model])
  })

  it('are paged as every list', async () => {
    const get = (query: string) => app.request('GET', `/v1/worth/models?${query}`, { key: reader })
    expect((await get('limit=1')).body).toEqual({ items: await list() })
    expectProblem(await get('limit=0'), 422, 'validation_failed')
    expectProblem(await get('cursor=none'), 400, 'invalid_cursor')
  })

  it('refuse an unknown id, a missing reason and a key without the permission', async () => {
    expectProblem(await activate('learned-1'), 404, 'worth_model_not_found')
    expectProblem(await activate('shipped-3', {}), 422, 'validation_failed')
    expectProblem(await activate('shipped-3', reason, reader), 403, 'forbidden')
    const writer = await app.issueKey(['records:write'])
    expectProblem(await app.request('GET', '/v1/worth/models', { key: writer }), 403, 'forbidden')
  })
})
