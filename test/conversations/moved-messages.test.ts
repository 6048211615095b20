import { afterAll, expect, it } from 'vitest'
import {
  createConversationRequests,
  say,
  statusesOf,
  textsOf,
} from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)

it('takes a message along when its record moves to another scope', async () => {
  const stored = (await append('moved', [say('1', 'one')], { scope: 'from' })).body as Body
  const { record_id: id } = stored.items[0]
  await app.request('PATCH', `/v1/records/${id}`, { body: { scope: 'to' } })
  expect(textsOf(await get('moved/messages?scope=to'))).toEqual(['one'])
  expect((await app.request('GET', '/v1/conversations/moved/messages?scope=from')).status).toBe(404)
})

it('refuses to move a message to where it was sent again meanwhile', async () => {
  const messages = [say('1', 'there and back')]
  const first = (await append('returning', messages, { scope: 'from' })).body as Body
  const path = `/v1/records/${first.items[0].record_id}`
  const patch = (body: object) => app.request('PATCH', path, { body })
  expect((await patch({ scope: 'to' })).status).toBe(200)
  const again = await append('returning', messages, { scope: 'from' })
  expect(statusesOf(again)).toEqual(['created'])
  expectProblem(await patch({ scope: 'from' }), 409, 'message_conflict')
  expect((await patch({ sensitivity: 'high' })).status).toBe(200)
  expect((await patch({ scope: 'from' })).status).toBe(200)
  expectProblem(await patch({ sensitivity: 'low' }), 409, 'message_conflict')
  expect(textsOf(await get('returning/messages?scope=from'))).toEqual(['there and back', 'there and back'])
  const { record_id: other } = (again.body as Body).items[0]
  await app.request('DELETE', `/v1/records/${other}?actor=a&rationale=b`)
  expect((await patch({ sensitivity: 'low' })).status).toBe(200)
})
