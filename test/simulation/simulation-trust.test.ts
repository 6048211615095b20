import { afterAll, expect, it } from 'vitest'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const app = await startTestApp()
afterAll(() => app.close())

it('a simulation is hidden from a key with a lower ceiling than the one that it was computed for', async () => {
  await create(app, fact({ sensitivity: 'hyper' }))
  const key = await app.issueKey(['records:read', 'maintenance:run'])
  const ask = async (options: object): Promise<string> => {
    const body = { over: '30d', half_life: { type: 'semantic', seconds: [86_400] } }
    return ((await app.request('POST', '/v1/maintenance/simulations', { body, ...options })).body as Body).id
  }
  const id = await ask({})
  const own = await ask({ key })
  await createWorkerFor(app).runJob('simulation', new AbortController().signal)
  const calls = [
    ...['', '/events', '/changes'].map((end) => ['GET', end] as const),
    ['POST', '/cancel'] as const,
  ]
  for (const [method, end] of calls) {
    const answer = await app.request(method, `/v1/maintenance/runs/${id}${end}`, { key })
    expectProblem(answer, 404, 'run_not_found')
  }
  const listed = async (options: object = {}) => {
    const { body } = await app.request('GET', '/v1/maintenance/runs?job=simulation', options)
    return (body as Body).items.map((run: Body) => run.id).sort()
  }
  expect(await listed({ key })).toEqual([own])
  expect(await listed()).toEqual([id, own].sort())
})
