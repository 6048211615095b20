import { afterAll, describe, expect, it } from 'vitest'
import { createScope } from '../../support/requests/consolidation-requests.ts'
import { type Body, create, expectProblem } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(() => app.close())

const text = 'Linda prefers the window seat on trains.'
const post = (path: string, body: object) => app.request('POST', `/v1/${path}`, { body })
const remember = (scope: string, more: object = {}) => post('remember', { text, scope, ...more })
const say = (scope: string, conversation = 'c') =>
  post(`conversations/${conversation}/messages`, { scope, messages: [{ role: 'user', content: text }] })
const capture = (scope: string, more: object = {}) =>
  post('capture', { source: 'agent', scope, content: { text }, ...more })

async function erase(id: string): Promise<void> {
  const answer = await post(`records/${id}/erase`, { actor: 'ada', rationale: 'she asked for it' })
  if (answer.status !== 200) throw new Error(answer.text)
}

describe('a text that was erased', () => {
  it('is not remembered again with another subject, or once an entity that it names is known', async () => {
    const scope = createScope()
    await erase(((await remember(scope)).body as Body).id)
    expectProblem(await remember(scope, { about: 'Linda' }), 409, 'erased_content')
    const linda = { kind: 'entity', canonical_name: 'Linda', primary_type: 'Person' }
    await create(app, { type: 'entity', scope, payload: linda })
    expectProblem(await remember(scope), 409, 'erased_content')
    expect((await remember(createScope(), { about: 'Linda' })).status).toBe(201)
  })

  it('is not imported again from another service', async () => {
    const scope = createScope()
    await erase(((await remember(scope)).body as Body).id)
    const file = JSON.stringify({ results: [{ id: 'm1', memory: text }] })
    const { text: report } = await app.request(
      'POST',
      `/v1/import?format=mem0&scope=${encodeURIComponent(scope)}`,
      { body: file },
    )
    expect(JSON.parse(report.split('\n')[0] ?? '')).toMatchObject({
      status: 'conflict',
      problem: { code: 'erased_content' },
    })
  })

  it('is not captured again in its conversation, nor sent as a message', async () => {
    const scope = createScope()
    const conversation = { id: 'c' }
    const { primary_record: episode } = (await capture(scope, { conversation })).body as Body
    await erase(episode.id)
    for (const more of [{ conversation }, {}, { content: text }])
      expectProblem(await capture(scope, more), 409, 'erased_content')
    for (const id of ['c', 'another']) expectProblem(await say(scope, id), 409, 'erased_content')
  })

  it('takes its summary along, but not the same summary of another text', async () => {
    const [scope, summary] = [createScope(), 'Linda told us which seat she prefers on trains.']
    const { primary_record: episode } = (await capture(scope, { summary })).body as Body
    await erase(episode.id)
    const said = { scope, messages: [{ role: 'user', content: summary }] }
    expectProblem(await post('conversations/c/messages', said), 409, 'erased_content')
    expectProblem(await capture(scope, { content: { text: summary } }), 409, 'erased_content')
    expectProblem(await capture(scope, { content: null, summary }), 409, 'erased_content')
    expect(
      (await capture(scope, { content: { text: 'Linda has moved to another town.' }, summary })).status,
    ).toBe(201)
  })

  it('is not captured again after it was erased as a message', async () => {
    const scope = createScope()
    await erase(((await say(scope)).body as Body).items[0].record_id)
    expectProblem(await capture(scope, { conversation: { id: 'c' } }), 409, 'erased_content')
    expectProblem(await capture(scope, { summary: 'A word about trains.' }), 409, 'erased_content')
  })
})
