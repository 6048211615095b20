import { afterAll, describe, expect, it } from 'vitest'
import { createConversationRequests, statusesOf, textsOf } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)

/** More than a text that is stored may have. */
const image = 'A'.repeat(150_000)
const text = (said: string) => ({ type: 'text', text: said })

const openai = [
  {
    role: 'user',
    content: [
      text('How many checkout pods run?'),
      { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    annotations: [],
    audio: null,
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'kubectl', arguments: '{"verb":"get","all":true}' },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'checkout-1 Running' },
  { role: 'assistant', content: 'One checkout pod runs.', refusal: null, annotations: [] },
]

const anthropic = [
  { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: image } }] },
  { role: 'user', content: 'How full is the disk?' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'df tells it', signature: image },
      text('I look.'),
      { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'df -h' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [text('/dev/sda1 91%'), { type: 'image', source: { data: image } }],
      },
    ],
  },
  { role: 'assistant', content: [text('It is 91 percent full.')] },
]

async function context(question: string): Promise<string> {
  const asked = { task_descriptor: question, scopes: ['parts'] }
  return ((await app.request('POST', '/v1/context', { body: asked })).body as Body).text
}

const append1 = (messages: object[], id = 'one') => append(id, messages, { scope: 'parts' })

describe('messages in the shapes of chat APIs', () => {
  it('stores the messages of the API of OpenAI: texts of parts, calls, and results with the tool of their call', async () => {
    expect(statusesOf(await append1(openai, 'openai'))).toEqual(Array(4).fill('created'))
    const { items } = await get('openai/messages?scope=parts')
    expect(items.map(({ role, content, tool_calls }: Body) => ({ role, content, tool_calls }))).toEqual([
      { role: 'user', content: 'How many checkout pods run?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', tool: 'kubectl', args: { verb: 'get', all: true } }],
      },
      {
        role: 'tool',
        content: '',
        tool_calls: [{ id: 'call_1', tool: 'kubectl', result: 'checkout-1 Running' }],
      },
      { role: 'assistant', content: 'One checkout pod runs.' },
    ])
  })

  it('stores the messages of the API of Anthropic, results as those of a tool, and skips an image', async () => {
    const answer = await append1(anthropic, 'anthropic')
    expect(statusesOf(answer)).toEqual(['skipped', 'created', 'created', 'created', 'created'])
    expect((answer.body as Body).conversation.messages).toBe(4)
    const { items } = await get('anthropic/messages?scope=parts')
    expect(textsOf({ items })).toEqual(['How full is the disk?', 'I look.', '', 'It is 91 percent full.'])
    expect(items[1].tool_calls).toEqual([{ id: 'toolu_1', tool: 'bash', args: { command: 'df -h' } }])
    expect(items[2]).toMatchObject({
      role: 'tool',
      tool_calls: [{ id: 'toolu_1', tool: 'bash', result: '/dev/sda1 91%' }],
    })
  })

  it('recognises a conversation that is sent again, and stores what is new', async () => {
    const more = [...openai, { role: 'user', content: [text('Thank you.')] }]
    expect(statusesOf(await append1(openai, 'again'))).toEqual(Array(4).fill('created'))
    expect(statusesOf(await append1(more, 'again'))).toEqual([...Array(4).fill('unchanged'), 'created'])
  })

  it('distinguishes messages by their calls and results', async () => {
    const result = (content: string) => ({ id: 'r', role: 'tool', tool_call_id: 'c', content })
    await append1([result('up')], 'results')
    expect(statusesOf(await append1([result('up')], 'results'))).toEqual(['unchanged'])
    expectProblem(await append1([result('down')], 'results'), 409, 'message_conflict')
    const call = (command: string) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c', name: 'bash', input: { command, cwd: '/' } }],
    })
    await append1([call('ls')], 'calls')
    expect(statusesOf(await append1([call('ls')], 'calls'))).toEqual(['unchanged'])
    expect(statusesOf(await append1([call('ls'), call('df')], 'calls'))).toEqual(['unchanged', 'created'])
  })

  it('reads the parts of the AI SDK, a refusal, the transcript of a voice, a call with its result and one without a type', async () => {
    const part = {
      type: 'tool-result',
      toolCallId: 'x',
      toolName: 'weather',
      output: { type: 'json', value: [21] },
    }
    const search = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'rain' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [text('No rain.')] },
    ]
    const messages = [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'weather', input: 1 }] },
      { role: 'tool', content: [part] },
      { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
      { role: 'assistant', content: null, audio: { data: image, transcript: 'It is warm.' } },
      { role: 'assistant', content: search },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'clock', arguments: { zone: 'UTC' } } }],
      },
    ]
    await append1(messages, 'others')
    const { items } = await get('others/messages?scope=parts')
    expect(textsOf({ items })).toEqual(['', '', 'I cannot help with that.', 'It is warm.', '', ''])
    expect(items.flatMap(({ tool_calls = [] }: Body) => tool_calls)).toEqual([
      { id: 'x', tool: 'weather', args: 1 },
      { id: 'x', tool: 'weather', result: [21] },
      { id: 's', tool: 'web_search', args: { query: 'rain' }, result: 'No rain.' },
      { id: '1', tool: 'clock', args: { zone: 'UTC' } },
    ])
  })

  it('keeps a result of JSON as it is, also if its objects have a type and a value', async () => {
    const results = [{ type: 'celsius', value: 21 }, [{ type: 'order', number: 7 }], null]
    const content = results.map((value, at) => ({
      type: 'tool-result',
      toolCallId: `${at}`,
      toolName: 'shop',
      output: { type: 'json', value },
    }))
    await append1([{ role: 'tool', content }], 'json')
    const { items } = await get('json/messages?scope=parts')
    expect(items[0].tool_calls.map(({ result }: Body) => result)).toEqual(results.slice(0, 2))
  })

  it('finds a message by the result of its tool, and writes calls and results, but no arguments', async () => {
    const call = { type: 'tool_use', id: 't', name: 'psql', input: { password: 'hidden-argument' } }
    await append1(
      [
        { role: 'assistant', content: [text('I count the invoices.'), call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '4711 invoices' }] },
      ],
      'written',
    )
    const written = await context('How many invoices are there?')
    expect(written).toContain('assistant: I count the invoices. Calls: psql')
    expect(written).toContain('tool: psql → 4711 invoices')
    expect(written).not.toContain('hidden-argument')
  })
})

describe('a message that lacks something', () => {
  it.each([
    ['no content', { role: 'user' }, '/messages/0/content'],
    ['a part that is no object', { role: 'user', content: ['x'] }, '/messages/0/content/0'],
    [
      'a part without its text',
      { role: 'user', content: [{ type: 'text', txt: 'x' }] },
      '/messages/0/content/0/text',
    ],
    ['a call without a name', { role: 'a', tool_calls: [{ type: 'function' }] }, '/messages/0/tool_calls/0'],
    ['a NUL in a part', { role: 'user', content: [text('a\0b')] }, '/messages/0/content/0/text'],
    [
      'a NUL in arguments that are a text of JSON',
      { role: 'a', tool_calls: [{ function: { name: 'bash', arguments: '{"a":"\\u0000"}' } }] },
      '/messages/0',
    ],
    ['a NUL in a result', { role: 'tool', tool_call_id: 'c', content: 'a\0b' }, '/messages/0/content'],
    [
      'a NUL in a transcript',
      { role: 'a', content: null, audio: { data: image, transcript: 'a\0b' } },
      '/messages/0',
    ],
    [
      'half a character in a transcript',
      { role: 'a', content: null, audio: { data: image, transcript: 'a\ud800b' } },
      '/messages/0',
    ],
    [
      'texts that are too long together',
      { role: 'user', content: Array(4).fill(text('x'.repeat(25_000))) },
      '/messages/0',
    ],
  ])('is refused for %s', async (_, message, pointer) => {
    const answer = await append1([message])
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toContain(pointer)
  })

  it('is refused for a result that is wrapped many times', async () => {
    const depth = 20_000
    const result = `${'{"type":"json","value":'.repeat(depth)}1${'}'.repeat(depth)}`
    const part = `{"type":"tool-result","toolCallId":"x","output":${result}}`
    const body = `{"scope":"parts","messages":[{"role":"tool","content":[${part}]}]}`
    const answer = await app.request('POST', '/v1/conversations/wrapped/messages', { body })
    expectProblem(answer, 422, 'validation_failed')
  })

  it('is refused for a text that is too long, and not for the image beside it', async () => {
    const parts = [text('x'.repeat(100_001)), { type: 'image', source: { data: image } }]
    const answer = await append1([{ role: 'user', content: parts }])
    expect(pointersOf(answer)).toEqual(['/messages/0/content/0/text'])
  })
})
