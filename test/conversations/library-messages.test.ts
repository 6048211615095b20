import type OpenAI from 'openai'
import { afterAll, expect, expectTypeOf, it } from 'vitest'
import type { NewMessages } from '../../src/conversations/new-messages.schemas.ts'
import { createConversationRequests, statusesOf } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)

/** More than a text that is stored may have. */
const image = `data:image/png;base64,${'A'.repeat(150_000)}`
const question = 'How warm is Oslo?'
const answer = 'Oslo has 18 degrees.'

const toolCall = (id: string, more: object = {}) => ({ id, tool: 'weather', args: { city: 'Oslo' }, ...more })

/** What each library sends for one question, a call of a tool and the answer. */
const call = [
  { role: 'user', content: question },
  { role: 'assistant', content: '', tool_calls: [toolCall('call_1')] },
  { role: 'tool', content: '', tool_calls: [{ id: 'call_1', tool: 'weather', result: '18 degrees' }] },
  { role: 'assistant', content: answer },
]

const responses = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: question }] },
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I ask a tool.' }] },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'weather',
    arguments: '{"city":"Oslo"}',
    status: 'completed',
  },
  { type: 'function_call_output', id: null, call_id: 'call_1', output: '18 degrees' },
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: image },
  {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: answer, annotations: [], logprobs: [] }],
  },
]

const langchain = [
  { type: 'human', content: question, additional_kwargs: {}, name: null, id: null, example: false },
  {
    type: 'ai',
    content: '',
    id: 'run-1',
    usage_metadata: null,
    invalid_tool_calls: [],
    tool_calls: [{ type: 'tool_call', id: 'call_1', name: 'weather', args: { city: 'Oslo' } }],
  },
  {
    type: 'tool',
    data: { content: '18 degrees', tool_call_id: 'call_1', name: 'weather', status: 'success' },
  },
  {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'AIMessage'],
    kwargs: { content: answer, response_metadata: { model: 'x' } },
  },
]

const block = (text: string) => [{ block_type: 'text', text }]
const llamaindex = [
  { role: 'user', additional_kwargs: {}, blocks: [...block(question), { block_type: 'image', image }] },
  {
    role: 'assistant',
    additional_kwargs: {
      tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
    blocks: [],
  },
  {
    role: 'tool',
    additional_kwargs: { tool_call_id: 'call_1', name: 'weather' },
    blocks: block('18 degrees'),
  },
  { role: 'assistant', additional_kwargs: {}, blocks: block(answer) },
]

const ui = [
  {
    id: 'ui-1',
    role: 'user',
    parts: [
      { type: 'text', text: question },
      { type: 'file', url: image },
    ],
  },
  {
    id: 'ui-2',
    role: 'assistant',
    metadata: { model: 'x' },
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'I ask a tool.', state: 'done' },
      {
        type: 'tool-weather',
        toolCallId: 'call_1',
        state: 'output-available',
        input: { city: 'Oslo' },
        output: '18 degrees',
      },
      {
        type: 'dynamic-tool',
        toolName: 'map',
        toolCallId: 'call_2',
        state: 'output-error',
        input: {},
        errorText: 'no map',
      },
      { type: 'text', text: answer, state: 'done' },
    ],
  },
]

async function readBack(id: string) {
  const { items } = await get(`${id}/messages?scope=libraries`)
  return items.map(({ role, content, tool_calls }: Body) => ({
    role,
    content,
    ...(tool_calls && { tool_calls }),
  }))
}

const send = (id: string, messages: object[]) => append(id, messages, { scope: 'libraries' })

it.each([
  ['items of the Responses API', responses, ['rs_1', 'ig_1']],
  ['messages of LangChain in three forms of JSON', langchain, []],
  ['messages of LlamaIndex', llamaindex, []],
])('stores %s as they are, and once', async (name, messages, skipped) => {
  const first = await send(name, messages)
  expect(first.status).toBe(201)
  const { items } = first.body as Body
  expect(
    items.filter(({ status }: Body) => status === 'skipped').map((item: Body) => item.message_id),
  ).toEqual(skipped)
  expect(await readBack(name)).toEqual(call)
  expect(new Set(statusesOf(await send(name, messages)))).not.toContain('created')
  expect(await readBack(name)).toEqual(call)
})

it('stores messages of the AI SDK for a page, with the results of tools in the parts of their calls', async () => {
  await send('ui', ui)
  expect(await readBack('ui')).toEqual([
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: answer,
      tool_calls: [
        toolCall('call_1', { result: '18 degrees' }),
        { id: 'call_2', tool: 'map', args: {}, result: 'no map' },
      ],
    },
  ])
  expect(statusesOf(await send('ui', ui))).toEqual(['unchanged', 'unchanged'])
})

it('stores a message as Anthropic returns it, and one with the thoughts of other models', async () => {
  const returned = {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [{ type: 'text', text: answer }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1 },
  }
  const thinking = { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.', reasoning_details: [] }
  await send('returned', [returned, thinking])
  expect(await readBack('returned')).toEqual([
    { role: 'assistant', content: answer },
    { role: 'assistant', content: 'Yes.' },
  ])
})

it('does not take the name of a tool for the name of a person', async () => {
  const messages = [
    { role: 'tool', tool_call_id: 'c', name: 'get_weather', content: '18 degrees' },
    { role: 'function', name: 'get_time', content: 'It is noon.' },
  ]
  await send('named', messages)
  expect(await readBack('named')).toEqual([
    { role: 'tool', content: '', tool_calls: [{ id: 'c', tool: 'get_weather', result: '18 degrees' }] },
    { role: 'function', content: '', tool_calls: [{ id: '1', tool: 'get_time', result: 'It is noon.' }] },
  ])
  const { body } = await app.request('GET', '/v1/records?type=entity&scope=libraries')
  expect((body as Body).items).toEqual([])
})

it.each([
  ['a message without a role', { type: 'message', content: 'x' }, '/messages/0/role'],
  ['a misspelt content', { type: 'message', role: 'user', contnt: 'x' }, '/messages/0/content'],
  ['a text that is too long', { type: 'human', content: 'x'.repeat(100_001) }, '/messages/0/content'],
  ['a call without a name', { type: 'function_call', arguments: '{}' }, '/messages/0/content/0'],
  ['metadata that are no object', { role: 'user', content: 'x', metadata: 'x' }, '/messages/0/metadata'],
  ['a part without a type', { role: 'user', parts: [{ txt: 'x' }] }, '/messages/0/parts/0'],
  ['a misspelt role without a type', { rol: 'user', content: 'x' }, '/messages/0/rol'],
])('refuses %s and names the place', async (_, message, pointer) => {
  const refused = await send('refused', [message])
  expectProblem(refused, 422, 'validation_failed')
  expect(pointersOf(refused)).toContain(pointer)
})

it('has types that those of the library of OpenAI fit', () => {
  type Messages = NewMessages['messages']
  expectTypeOf<OpenAI.Chat.ChatCompletionMessageParam[]>().toExtend<Messages>()
  expectTypeOf<OpenAI.Responses.ResponseOutputItem[]>().toExtend<Messages>()
})
