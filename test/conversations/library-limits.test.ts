import { afterAll, describe, expect, it } from 'vitest'
import { createConversationRequests, statusesOf } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)
const scope = 'limits'
const send = (id: string, messages: object[]) => append(id, messages, { scope })
const callsOf = async (id: string) => {
  const { items } = await get(`${id}/messages?scope=${scope}`)
  return items.flatMap(({ tool_calls = [] }: Body) => tool_calls)
}

/** More than a text that is stored may have. */
const long = 'A'.repeat(150_000)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const text = (said: string) => ({ type: 'text', block_type: 'text', text: said })
const texts = (said: string) => Array(4).fill(text(said))
const user = { role: 'user' }
const assistant = { role: 'assistant' }

/** Each place where the arguments of a call can come as a text of JSON. */
const shapes: [string, (args: string, id?: string) => object][] = [
  [
    'an item of Responses',
    (args, id = 'c') => ({ type: 'function_call', call_id: id, name: 'shop', arguments: args }),
  ],
  [
    'a call of an MCP server',
    (args, id = 'c') => ({ type: 'mcp_call', id, name: 'shop', arguments: args, output: 'ok' }),
  ],
  [
    'a part of LangChain',
    (args, id = 'c') => ({ type: 'ai', content: [{ type: 'tool_call', id, name: 'shop', args }] }),
  ],
  [
    'a block of LlamaIndex',
    (args, id = 'c') => ({
      ...assistant,
      blocks: [{ block_type: 'tool_call', tool_call_id: id, tool_name: 'shop', tool_kwargs: args }],
    }),
  ],
  [
    'the further members of LlamaIndex',
    (args, id = 'c') => ({
      ...assistant,
      blocks: [],
      additional_kwargs: { tool_calls: [{ id, function: { name: 'shop', arguments: args } }] },
    }),
  ],
  [
    'a part of a page',
    (args, id = 'c') => ({
      ...assistant,
      parts: [{ type: 'tool-shop', state: 'output-available', toolCallId: id, input: args, output: 'ok' }],
    }),
  ],
]

describe.each(shapes)('arguments in %s', (name, call) => {
  it('are as deep, and as many, as those of a body may be', async () => {
    expect(statusesOf(await send(name, [call(nested(96))]))).toEqual(['created'])
    const deep = await send('refused', [call(nested(97))])
    expectProblem(deep, 422, 'validation_failed')
    expect(pointersOf(deep)).toEqual(['/messages/0'])
    const items = `[${'1,'.repeat(40_000)}1]`
    const many = await send(
      'refused',
      Array.from({ length: 7 }, (_, at) => call(items, `${at}`)),
    )
    expectProblem(many, 422, 'validation_failed')
    expect((many.body as Body).detail).toBe('The body has too many fields.')
  })

  it('stay a text if a number would lose digits, and contain no NUL', async () => {
    const args = '{"order":12345678901234567890}'
    await send(`${name} 2`, [call(args)])
    expect(await callsOf(`${name} 2`)).toMatchObject([{ tool: 'shop', args }])
    expect(pointersOf(await send('refused', [call('{"a":"\\u0000"}')]))).toContain('/messages/0')
  })
})

describe('a message of a library', () => {
  const output = { type: 'function_call_output', call_id: 'c' }
  it.each([
    ['items of Responses', { type: 'message', ...user, content: texts('x'.repeat(25_000)) }],
    ['UI messages', { ...user, parts: texts('x'.repeat(25_000)) }],
    ['LangChain', { type: 'human', content: texts('x'.repeat(25_000)) }],
    ['LlamaIndex', { ...user, blocks: texts('x'.repeat(25_000)) }],
    ['results of Responses', { ...output, output: texts('x'.repeat(25_000)) }],
    ['results of LangChain', { type: 'tool', tool_call_id: 'c', content: texts('x'.repeat(25_000)) }],
    [
      'results of LlamaIndex',
      { role: 'tool', additional_kwargs: { tool_call_id: 'c' }, blocks: texts('x'.repeat(25_000)) },
    ],
    [
      'a transcript with a NUL',
      { type: 'ai', content: '', additional_kwargs: { audio: { data: long, transcript: 'a\0b' } } },
    ],
    ['an id with a NUL', { role: 'tool', content: 'x', additional_kwargs: { tool_call_id: 'a\0b' } }],
    [
      'too many further calls',
      { ...assistant, additional_kwargs: { tool_calls: Array(1_001).fill({ function: { name: 'x' } }) } },
    ],
  ])('is refused for what is too much in %s', async (_, message) => {
    const refused = await send('refused', [message])
    expectProblem(refused, 422, 'validation_failed')
    expect(pointersOf(refused)[0]).toMatch(/^\/messages\/0/)
  })

  it.each(['output', 'content'])(
    'is refused for a result that is wrapped many times, in %s',
    async (member) => {
      const depth = 20_000
      const result = `${'{"type":"json","value":'.repeat(depth)}1${'}'.repeat(depth)}`
      const messages = [
        `{"type":"function_call_output","call_id":"c","${member}":${result}}`,
        `{"role":"assistant","parts":[{"type":"tool-x","state":"output-available","toolCallId":"c","output":${result}}]}`,
      ]
      for (const message of messages) {
        const body = `{"scope":"${scope}","messages":[${message}]}`
        const answer = await app.request('POST', '/v1/conversations/wrapped/messages', { body })
        expectProblem(answer, 422, 'validation_failed')
      }
    },
  )

  it('may have a voice and thoughts of any length, and says the transcript', async () => {
    const audio = { data: long, transcript: 'It is warm.' }
    const messages = [
      { type: 'ai', content: '', additional_kwargs: { audio } },
      { ...assistant, content: null, audio },
      { ...assistant, content: 'Yes.', reasoning_content: long, reasoning_details: [{ data: long }] },
      { ...assistant, blocks: [text('No.'), { block_type: 'audio', audio: long }] },
      {
        type: 'message',
        ...user,
        content: [text('So?'), { type: 'input_audio', input_audio: { data: long } }],
      },
    ]
    await send('voice', messages)
    const { items } = await get(`voice/messages?scope=${scope}`)
    const said = ['It is warm.', 'It is warm.', 'Yes.', 'No.', 'So?']
    expect(items.map(({ content }: Body) => content)).toEqual(said)
  })

  it('has the results of a page as the tools returned them', async () => {
    const results = [
      { type: 'celsius', value: 21 },
      [{ type: 'order', number: 7 }],
      { type: 'json', value: null },
    ]
    const parts = results.map((result, at) => ({
      type: 'tool-shop',
      state: 'output-available',
      toolCallId: `${at}`,
      input: {},
      output: result,
    }))
    await send('page', [{ ...assistant, parts }])
    expect((await callsOf('page')).map(({ result }: Body) => result)).toEqual(results)
    // An image makes the texts of the body be checked once more.
    const image = { type: 'file', url: long }
    expect(statusesOf(await send('page', [{ ...assistant, parts: [...parts, image] }]))).toEqual([
      'unchanged',
    ])
  })

  it('has each of several calls with one id, and a call once that stands in its parts again', async () => {
    const call = (name: string) => ({
      type: `tool-${name}`,
      state: 'output-available',
      toolCallId: '1',
      input: {},
      output: name,
    })
    await send('twice', [{ ...assistant, parts: [call('ls'), call('df')] }])
    expect(await callsOf('twice')).toEqual([
      { id: '1', tool: 'ls', args: {}, result: 'ls' },
      { id: '1-2', tool: 'df', args: {}, result: 'df' },
    ])
    const named = (id: string, name: string) => ({ id, name, args: { name } })
    const both = ['ls', 'df'].map((name) => named('1', name))
    const again = both.map(({ args, ...each }) => ({ type: 'tool_use', ...each, input: args }))
    const other = { type: 'tool_use', id: '1', name: 'ps', input: {} }
    await send('again', [{ type: 'ai', content: [text('I look.'), ...again, other], tool_calls: both }])
    expect(await callsOf('again')).toEqual([
      { id: '1', tool: 'ls', args: { name: 'ls' } },
      { id: '1-2', tool: 'df', args: { name: 'df' } },
      { id: '1-3', tool: 'ps', args: {} },
    ])
  })
})
