import { afterAll, expect, it } from 'vitest'
import { createConversationRequests } from '../support/requests/conversation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const requests = createConversationRequests(() => app)
const append = async (...request: Parameters<typeof requests.append>) =>
  (await requests.append(...request)).body as Body
const statusesOf = ({ items }: Body) => items.map(({ status }: Body) => status)
const contentsIn = async (conversation: string) =>
  (await requests.get(`${conversation}/messages`)).items.map(({ content }: Body) => content)
const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

it.each([
  ['system', { role: 'system' }],
  ['developer', { role: 'developer' }],
  ['System', { role: 'System' }],
  ['system of LangChain', { type: 'system' }],
])('skips the prompt %s, and stores each other message once', async (name, role) => {
  const chat: object[] = []
  const expected: string[][] = []
  for (const turn of ['one', 'two', 'three']) {
    expected.push(['skipped', ...chat.map(() => 'unchanged'), 'created', 'created'])
    chat.push(user(turn), assistant(`answer to ${turn}`))
    // The prompt is another one each time, because it has what was remembered.
    const prompt = { ...role, content: `You are helpful. What is known: ${turn}.` }
    expect(statusesOf(await append(name, [prompt, ...chat]))).toEqual(expected.at(-1))
  }
  expect(await contentsIn(name)).toEqual([
    'one',
    'answer to one',
    'two',
    'answer to two',
    'three',
    'answer to three',
  ])
})

it('stores a message of the role system that has an id', async () => {
  const joined = { id: 'e1', role: 'system', content: 'Ada has joined.' }
  expect(statusesOf(await append('joined', [joined, user('Hello, Ada.')]))).toEqual(['created', 'created'])
  expect(statusesOf(await append('joined', [joined, user('Hello, Ada.')]))).toEqual([
    'unchanged',
    'unchanged',
  ])
  expect(await contentsIn('joined')).toEqual(['Ada has joined.', 'Hello, Ada.'])
})

it('recognises the messages after a prompt that an earlier version stored', async () => {
  const prompt = { role: 'system', content: 'You are helpful.' }
  await append('earlier', [{ ...prompt, id: 'made by the service' }, user('one'), assistant('two')])
  const again = await append('earlier', [prompt, user('one'), assistant('two'), user('three')])
  expect(statusesOf(again)).toEqual(['skipped', 'unchanged', 'unchanged', 'created'])
})
