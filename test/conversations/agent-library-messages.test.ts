import { afterAll, describe, expect, it } from 'vitest'
import { createConversationRequests, statusesOf } from '../support/requests/conversation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)
const scope = 'libraries'
const send = (id: string, messages: object[]) => append(id, messages, { scope })

async function readBack(id: string) {
  const { items } = await get(`${id}/messages?scope=${scope}`)
  return items.map(({ role, content, tool_calls: calls }: Body) => ({
    role,
    content,
    ...(calls && { calls }),
  }))
}

/** More than a text that is stored may have. */
const long = 'A'.repeat(150_000)
const question = 'How warm is Oslo?'
const answer = 'Oslo has 18 degrees.'
const degrees = { celsius: 18 }
const called = { id: 'c1', tool: 'weather', args: { city: 'Oslo' } }

const invocation = {
  state: 'result',
  step: 0,
  toolCallId: 'c1',
  toolName: 'weather',
  args: called.args,
  result: degrees,
}
const uiParts = [
  { type: 'step-start' },
  { type: 'reasoning', reasoning: 'I ask a tool.', details: [] },
  { type: 'tool-invocation', toolInvocation: invocation },
  { type: 'text', text: answer },
]
const createdAt = '2026-03-01T10:00:00.000Z'

const aiSdk4 = [
  { id: 'u1', createdAt, role: 'user', content: question, parts: [{ type: 'text', text: question }] },
  { id: 'u2', createdAt, role: 'assistant', content: answer, toolInvocations: [invocation], parts: uiParts },
]
const aiSdk3 = [
  { id: 'u1', role: 'user', content: question, experimental_attachments: [{ url: long }], data: null },
  { id: 'u2', role: 'assistant', content: answer, toolInvocations: [invocation] },
]
const stored = { createdAt, threadId: 't', resourceId: 'r' }
const mastra = [
  { id: 'u1', role: 'user', ...stored, content: { format: 2, parts: [{ type: 'text', text: question }] } },
  {
    id: 'u2',
    role: 'assistant',
    type: 'v2',
    ...stored,
    content: { format: 2, content: answer, toolInvocations: [invocation], parts: uiParts },
  },
]

const gemini = [
  { role: 'user', parts: [{ text: question }, { inlineData: { mimeType: 'image/png', data: long } }] },
  {
    role: 'model',
    parts: [
      { text: 'I ask a tool.', thought: true },
      { functionCall: { id: 'c1', name: 'weather', args: called.args }, thoughtSignature: 'x' },
    ],
  },
  { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'weather', response: degrees } }] },
  { role: 'model', parts: [{ text: answer }] },
]
const unset = { thought: null, inline_data: null, text: null, function_call: null, function_response: null }
const geminiOfPython = [
  { role: 'user', parts: [{ ...unset, text: question }] },
  { role: 'model', parts: [{ ...unset, function_call: { id: 'c1', name: 'weather', args: called.args } }] },
  { role: 'user', parts: [{ ...unset, function_response: { id: 'c1', response: { output: degrees } } }] },
  { role: 'model', parts: [{ ...unset, text: answer }] },
]

const bedrock = [
  { role: 'user', content: [{ text: question }, { image: { format: 'png', source: { bytes: long } } }] },
  {
    role: 'assistant',
    content: [
      { reasoningContent: { reasoningText: { text: 'I ask a tool.' } } },
      { toolUse: { toolUseId: 'c1', name: 'weather', input: called.args } },
    ],
  },
  {
    role: 'user',
    content: [{ toolResult: { toolUseId: 'c1', content: [{ json: degrees }], status: 'success' } }],
  },
  { role: 'assistant', content: [{ text: answer }] },
]

const timestamp = '2026-03-01T10:00:00Z'
const pydanticAi = [
  {
    kind: 'request',
    instructions: null,
    parts: [
      { part_kind: 'system-prompt', content: 'Be brief.', timestamp, dynamic_ref: null },
      {
        part_kind: 'user-prompt',
        content: [question, { kind: 'binary', data: long, media_type: 'image/png' }],
        timestamp,
      },
    ],
  },
  {
    kind: 'response',
    usage: { input_tokens: 1 },
    model_name: 'x',
    timestamp,
    parts: [
      { part_kind: 'thinking', content: 'I ask a tool.' },
      { part_kind: 'tool-call', tool_name: 'weather', args: '{"city":"Oslo"}', tool_call_id: 'c1' },
    ],
  },
  {
    kind: 'request',
    parts: [
      { part_kind: 'tool-return', tool_name: 'weather', content: degrees, tool_call_id: 'c1', timestamp },
    ],
  },
  { kind: 'response', parts: [{ part_kind: 'text', content: answer, id: null }] },
]

const agentsSdk = [
  { type: 'message', role: 'user', content: question },
  { type: 'function_call', callId: 'c1', name: 'weather', arguments: '{"city":"Oslo"}', providerData: {} },
  {
    type: 'function_call_result',
    callId: 'c1',
    name: 'weather',
    output: { type: 'text', text: '18 degrees' },
  },
  {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer }],
  },
]

const said = (assistant: string, result: unknown) => [
  { role: 'user', content: question },
  { role: assistant, content: '', calls: [called] },
  { role: 'tool', content: '', calls: [{ id: 'c1', tool: 'weather', result }] },
  { role: assistant, content: answer },
]
const saidOnPage = [
  { role: 'user', content: question },
  { role: 'assistant', content: answer, calls: [{ ...called, result: degrees }] },
]

it.each([
  ['UI messages of the AI SDK 4', aiSdk4, saidOnPage],
  ['UI messages of the AI SDK without parts', aiSdk3, saidOnPage],
  ['messages of Mastra', mastra, saidOnPage],
  ['contents of Gemini', gemini, said('model', degrees)],
  ['contents of Gemini, written by Python', geminiOfPython, said('model', degrees)],
  ['messages of Bedrock', bedrock, said('assistant', degrees)],
  ['messages of Pydantic AI', pydanticAi, said('assistant', degrees)],
  ['items of the OpenAI Agents SDK', agentsSdk, said('assistant', '18 degrees')],
])('stores %s as they are, and once', async (name, messages, expected) => {
  const first = await send(name, messages)
  expect(first.status, first.text).toBe(201)
  expect(await readBack(name)).toEqual(expected)
  expect(new Set(statusesOf(await send(name, messages)))).toEqual(new Set(['unchanged']))
})

describe('a result', () => {
  const results: [string, unknown, unknown][] = [
    ['of a type that wraps others', { type: 'json', value: 1 }, { type: 'json', value: 1 }],
    ['in a list of objects with a type', [{ type: 'order', number: 7 }], [{ type: 'order', number: 7 }]],
    ['that is a text', '18 degrees', '18 degrees'],
  ]
  const shapes = (result: unknown) => [
    { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ json: result }] } }] },
    {
      role: 'user',
      parts: [{ functionResponse: { id: 'c', name: 'shop', response: { output: result } } }],
    },
    {
      kind: 'request' as const,
      parts: [{ part_kind: 'tool-return', tool_name: 'shop', content: result, tool_call_id: 'c' }],
    },
  ]

  it.each(results)('%s stays as it is', async (name, result, expected) => {
    const messages = shapes(result)
    await send(name, messages)
    const read = await readBack(name)
    expect(read.map(({ calls }: Body) => calls[0].result)).toEqual(messages.map(() => expected))
  })

  it('has the texts of several parts, without files', async () => {
    const document = { document: { name: 'x', source: { bytes: long } } }
    const file = { kind: 'binary', data: long, media_type: 'image/png' }
    await send('files', [
      { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'a' }, document] } }] },
      { kind: 'request', parts: [{ part_kind: 'tool-return', tool_name: 'shop', content: ['a', file] }] },
      { kind: 'request', parts: [{ part_kind: 'retry-prompt', tool_name: 'shop', content: 'again' }] },
    ])
    const read = await readBack('files')
    expect(read.map(({ calls }: Body) => calls[0].result)).toEqual(['a', ['a'], 'again'])
  })
})
