import { afterAll, describe, expect, it } from 'vitest'
import { createConversationRequests, statusesOf } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)
const scope = 'arguments'

/** OpenAI's API has the arguments of a call as a text of JSON. */
const call = (...texts: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: texts.map((text, at) => ({ id: `${at}`, function: { name: 'shop', arguments: text } })),
})
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('calls with one id', () => {
  it('are stored each, and recognised when they are sent again', async () => {
    const calls = ['ls', 'df', 'ps'].map((name) => ({ id: '1', function: { name, arguments: '{}' } }))
    const [first, ...others] = calls
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ function: first?.function }, ...others],
    }
    const messages = [message, { role: 'tool', tool_call_id: '1', content: 'done' }]
    expect(statusesOf(await append('twice', messages, { scope }))).toEqual(['created', 'created'])
    expect(statusesOf(await append('twice', messages, { scope }))).toEqual(['unchanged', 'unchanged'])
    const { items } = await get(`twice/messages?scope=${scope}`)
    expect(items[0].tool_calls.map(({ id, tool }: Body) => [id, tool])).toEqual([
      ['1', 'ls'],
      ['1-2', 'df'],
      ['1-3', 'ps'],
    ])
    expect(items[1].tool_calls).toEqual([{ id: '1', tool: 'ls', result: 'done' }])
  })
})

describe('arguments of a call that are a text of JSON', () => {
  it('may be as deep as those of a record, so that an export can be imported', async () => {
    expect(statusesOf(await append('deep', [call(nested(96))], { scope }))).toEqual(['created'])
    const { text } = await app.request('GET', `/v1/export?scope=${scope}`)
    const headers = { 'content-type': 'application/x-ndjson' }
    const report = await app.request('POST', '/v1/import?dry_run=true', { body: text, headers })
    expect(JSON.parse(report.text.split('\n')[0] ?? '').status).toBe('unchanged')

    const answer = await append('deep', [call(nested(97))], { scope })
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual(['/messages/0'])
  })

  it('count among the fields and items of a body', async () => {
    const items = `[${'1,'.repeat(40_000)}1]`
    const answer = await append('many', [call(...Array(7).fill(items))], { scope })
    expectProblem(answer, 422, 'validation_failed')
    expect((answer.body as Body).detail).toBe('The body has too many fields.')
    expect(statusesOf(await append('many', [call(...Array(5).fill('[1,2]'))], { scope }))).toEqual([
      'created',
    ])
  })

  it('stay a text if a number would lose digits', async () => {
    const texts = ['{"order":12345678901234567890}', '{"order":1e400}', '{"order":1234567890123456}']
    await append('numbers', [call(...texts)], { scope })
    const { items } = await get(`numbers/messages?scope=${scope}`)
    expect(items[0].tool_calls.map(({ args }: Body) => args)).toEqual([
      texts[0],
      texts[1],
      { order: 1234567890123456 },
    ])
  })
})
