import { afterAll, describe, expect, it } from 'vitest'
import { createConversationRequests } from '../support/requests/conversation-requests.ts'
import { expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append } = createConversationRequests(() => app)
const scope = 'libraries'
const send = (id: string, messages: object[]) => append(id, messages, { scope })

describe('a message of a library', () => {
  const user = { role: 'user' }
  it.each([
    ['a part that says nothing', { ...user, parts: [{ txt: 'x' }] }, '/messages/0/parts/0'],
    ['a text that is none', { ...user, content: [{ text: 5 }] }, '/messages/0/content/0/text'],
    ['a call without a name', { ...user, parts: [{ functionCall: {} }] }, '/messages/0/parts/0'],
    [
      'invocations that are no list',
      { type: 'x', ...user, toolInvocations: 5 },
      '/messages/0/toolInvocations',
    ],
    ['parts that are no list', { type: 'human', content: 'x', parts: {} }, '/messages/0/parts'],
    ['a content that is an object', { ...user, content: { text: 'x' } }, '/messages/0/content/parts'],
    ['a NUL', { kind: 'request', parts: [{ part_kind: 'user-prompt', content: ['a\0b'] }] }, '/messages/0'],
    ['too long a text', { ...user, content: Array(4).fill({ text: 'x'.repeat(30_000) }) }, '/messages/0'],
    [
      'too many parts',
      { ...user, content: { parts: Array(1_001).fill({ text: 'x' }) } },
      '/messages/0/parts',
    ],
    ['an unknown kind', { kind: 'message', parts: [] }, '/messages/0/kind'],
    ['no parts', { kind: 'request' }, '/messages/0/role'],
  ])('is refused for %s', async (_, message, pointer) => {
    const refused = await send('refused', [message])
    expectProblem(refused, 422, 'validation_failed')
    expect(pointersOf(refused).join()).toContain(pointer)
  })

  it.each([
    [97, 422],
    [96, 201],
  ])('has arguments %i deep with the answer %i', async (depth, status) => {
    const args = '['.repeat(depth) + ']'.repeat(depth)
    const message = { kind: 'response', parts: [{ part_kind: 'tool-call', tool_name: 'shop', args }] }
    expect((await send(`depth ${depth}`, [message])).status).toBe(status)
  })

  it('is refused for a result that is very deep', async () => {
    const deep = `${'{"json":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const part = `{"toolResult":{"toolUseId":"c","content":[${deep}]}}`
    const body = `{"scope":"${scope}","messages":[{"role":"user","content":[${part}]}]}`
    const refused = await app.request('POST', '/v1/conversations/deep/messages', { body })
    expectProblem(refused, 422, 'validation_failed')
  })
})
