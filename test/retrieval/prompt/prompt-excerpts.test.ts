import { afterAll, expect, it } from 'vitest'
import { isLongRun } from '../../support/long-run.ts'
import { askContext, storeMessages } from '../../support/requests/prompt-context-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const filler = (count: number) => 'and then we spoke about the weather of the week. '.repeat(count)
const ask = (scope: string, task: string) =>
  askContext(app, scope, { task_descriptor: task, max_tokens: 400 })

it('shows of a long message the part with the words of the question', async () => {
  const text = `${filler(200)}The billing cluster runs in Frankfurt since March. ${filler(200)}`
  await storeMessages(app, 'middle', [text])
  const context = await ask('middle', 'In which cluster does billing run?')
  expect(context.text).toContain('The billing cluster runs in Frankfurt since March.')
  expect(context.text).toContain('user: …')
  expect(context.items).toMatchObject([{ quoted: false }])
  expect(context.token_estimate).toBeLessThanOrEqual(400)
})

it('shows the beginning of a long message that has the words there', async () => {
  await storeMessages(app, 'begin', [`The billing cluster runs in Frankfurt. ${filler(400)} billing`])
  expect((await ask('begin', 'Where does billing run?')).text).toContain('user: The billing cluster runs')
})

it('masks a secret of a long message whose key stands before the shown part', async () => {
  const secret = 'zq81mVx02Lrt77Pq'
  for (const gap of [1, 30, 59, 70]) {
    const scope = `secret-${gap}`
    const near = `password: ${secret}${' '.repeat(gap)}billing cluster of Frankfurt`
    await storeMessages(app, scope, [`${filler(300)}${near} ${filler(300)}`])
    const { text } = await ask(scope, 'billing cluster Frankfurt')
    expect(text).toContain('cluster of Frankfurt')
    expect(text).not.toContain(secret.slice(4))
  }
})

it('names each step before another once, however many edges a plan has', async () => {
  const nodes = ['stop', 'start'].map((op) => ({ id: op, op: `${op} the kiln` }))
  const edges = Array.from({ length: isLongRun ? 60_000 : 200 }, () => ({
    from: 'stop',
    to: 'start',
    kind: 'control',
  }))
  const plan = { plan_id: 'kiln', version: '1', intent: 'restart the kiln', nodes, edges }
  const body = { type: 'plan_graph', scope: 'kilns', payload: { kind: 'plan_graph', ...plan } }
  expect((await app.request('POST', '/v1/records', { body })).status).toBe(201)
  const question = { task_descriptor: 'restart the kiln', scopes: ['kilns'] }
  const { body: context } = await app.request('POST', '/v1/context', { body: question })
  expect(context).toMatchObject({ text: expect.stringContaining('2. start the kiln (after 1)') })
})
