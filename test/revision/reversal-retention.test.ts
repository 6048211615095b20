import { afterAll, expect, it } from 'vitest'
import { deleteRevisionEffects } from '../../src/effects/index.ts'
import { type Body, create, expectProblem, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const reason = { actor: 'planner', rationale: 'it was a mistake' }
const post = (id: string, path: string, body: object) =>
  app.request('POST', `/v1/records/${id}/${path}`, { body: { ...reason, ...body } })

it('a revision can be taken back until its rows expire, oldest first', async () => {
  const retract = async () => {
    const { id } = await create(app, fact())
    await post(id, 'retract', {})
    app.clock.advance(86_400_000)
    return id as string
  }
  const old = await retract()
  const young = await retract()
  const expire = (hours: number) =>
    deleteRevisionEffects(app.db, new Date(app.clock.now().getTime() - hours * 3_600_000), 1_000)
  expect(await expire(72)).toBe(0)
  expect(await expire(36)).toBe(1)
  expect(await expire(36)).toBe(0)
  expectProblem(await post(old, 'revert', { to_version: 1 }), 409, 'not_undoable')
  expect((await post(young, 'revert', { to_version: 1 })).status).toBe(200)
  expect(((await read(app, young)) as Body).status).toBe('active')
})
