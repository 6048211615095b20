import { afterAll, expect, it } from 'vitest'
import { askContext, idsOf, task } from '../../support/requests/prompt-context-requests.ts'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

it('writes of a task that was stored again only the newest state', async () => {
  const scope = 'again'
  const older = await create(app, task('move the shop', { scope }))
  app.clock.advance(1_000)
  const { payload } = task('move the shop')
  const newer = await create(app, task('', { scope, payload: { ...payload, state: 'blocked' } }))
  const report = { ...payload, next_actions: ['deploy billing in the vault'] }
  const secret = await create(app, task('', { scope, sensitivity: 'medium', payload: report }))
  const other = await create(app, task('bill the customers', { scope }))
  const { items, omitted }: Body = await askContext(app, scope, { task_descriptor: 'deploy billing' })
  expect(idsOf(items).sort()).toEqual([newer.id, secret.id, other.id].sort())
  expect(omitted).toEqual([{ record_id: older.id, reason: 'repetition' }])
})

it('writes of a task the newest state although only an older one has words of the question', async () => {
  const scope = 'finished'
  const older = await create(app, task('rotate the certificates', { scope }))
  app.clock.advance(1_000)
  const { payload } = task('rotate the certificates')
  const done = { ...payload, state: 'done', next_actions: [], open_questions: [], context_summary: 'Closed.' }
  await create(app, task('', { scope, payload: { ...done, state: 'blocked' } }))
  app.clock.advance(1_000)
  const newest = await create(app, task('', { scope, payload: done }))
  const { items, omitted }: Body = await askContext(app, scope, { task_descriptor: 'How to deploy billing?' })
  expect(idsOf(items)).toEqual([newest.id])
  expect(omitted).toContainEqual({ record_id: older.id, reason: 'repetition' })
})

it('writes the tasks where a question for tasks alone has none of their words', async () => {
  const scope = 'tasks'
  const { id } = await create(app, task('move the shop', { scope }))
  const task_descriptor = 'Tell me of my projects'
  expect((await askContext(app, scope, { task_descriptor })).items).toEqual([])
  expect(idsOf((await askContext(app, scope, { task_descriptor, memory_types: ['working'] })).items)).toEqual(
    [id],
  )
})

it('writes the tasks under way, each in its newest state, where the question asks what they are', async () => {
  const scope = 'under way'
  const { payload } = task('move the shop')
  await create(app, task('move the shop', { scope }))
  app.clock.advance(1_000)
  const newest = await create(app, task('', { scope, payload: { ...payload, state: 'blocked' } }))
  const finished = task('bill the customers').payload
  await create(app, task('', { scope, payload: finished }))
  app.clock.advance(1_000)
  await create(app, task('', { scope, payload: { ...finished, state: 'done' } }))
  const note = { text: 'The shop sells tea.', scope }
  await app.request('POST', '/v1/remember', { body: note })
  const ask = async (task_descriptor: string, more: object = {}) =>
    idsOf((await askContext(app, scope, { task_descriptor, ...more })).items)
  expect(await ask('What am I working on?')).toEqual([newest.id])
  expect(await ask('What does the shop sell, and what are my open tasks?')).toContain(newest.id)
  expect(await ask('What am I working on?', { memory_types: ['semantic'] })).toEqual([])
  expect(await ask('What am I working on?', { mode: 'facts_only' })).toEqual([])
})
