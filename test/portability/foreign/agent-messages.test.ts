import { afterAll, describe, expect, it } from 'vitest'
import { importFile } from '../../support/files/foreign-files.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

async function listTexts(file: object, conversation: string): Promise<[string, string][]> {
  const { ending } = await importFile(app, JSON.stringify(file))
  expect(ending.summary).toMatchObject({ conflict: 0, invalid: 0 })
  const { body } = await app.request('GET', `/v1/conversations/${conversation}/messages`)
  return (body as Body).items.map(({ role, content }: Body) => [role, content])
}

describe('a message of Claude', () => {
  const unsupported = '```\nThis block is not supported on your current device yet.\n```'
  const say = (text: string, content: object[]) => ({ sender: 'assistant', text, content })

  it('has what was said, without thoughts and calls of tools', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'They ask for the tide.' },
      { type: 'text', text: 'I look at the table.' },
      { type: 'tool_use', name: 'tides', input: {} },
      { type: 'tool_result', content: [{ type: 'text', text: '04:10' }] },
      { type: 'text', text: 'High water is at ten past four.' },
    ]
    const text = `They ask for the tide.I look at the table.\n${unsupported}\n\nHigh water is at ten past four.`
    const file = [
      {
        uuid: 'tides',
        chat_messages: [
          say(text, blocks),
          say(`${unsupported}\n\n\n${unsupported}`, [{ type: 'tool_use', name: 'tides', input: {} }]),
          say(`${unsupported}\n\nAnd low water at ten.`, []),
        ],
      },
    ]
    expect(await listTexts(file, 'tides')).toEqual([
      ['assistant', 'I look at the table.\nHigh water is at ten past four.'],
      ['assistant', 'And low water at ten.'],
    ])
  })
})

describe('a message of Letta', () => {
  const time = '2025-05-01 08:01:00 AM UTC+0000'
  const pack = (fields: object) => [{ type: 'text', text: JSON.stringify({ ...fields, time }) }]
  const call = (name: string, text: string) => ({
    id: 'call',
    type: 'function',
    function: { name, arguments: text },
  })
  const read = (name: string, messages: object[]) =>
    listTexts({ agents: [{ name, block_ids: [], messages }], blocks: [] }, name)

  it('has the text that is packed in it, and the reply that a tool sends', async () => {
    const messages = [
      { role: 'user', content: pack({ type: 'login', last_login: 'Never' }) },
      { role: 'user', content: pack({ type: 'user_message', message: 'My canary is called Blip.' }) },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'A canary. I should be kind.' }],
        tool_calls: [call('send_message', '{"message":"What a fine name!"}')],
      },
      { role: 'tool', content: pack({ status: 'OK', message: 'None' }) },
      { role: 'user', content: pack({ type: 'heartbeat', reason: 'Automated timer' }) },
      { role: 'tool', content: pack({ status: 'Failed', message: 'No such file.' }) },
    ]
    expect(await read('packed', messages)).toEqual([
      ['user', 'My canary is called Blip.'],
      ['assistant', 'What a fine name!'],
      ['tool', 'No such file.'],
    ])
  })

  it('is kept as it is where nothing is packed in it', async () => {
    const texts = ['{"type":"user_message"', '{"message":"ours","status":"OK"}', '{"time":"now"}', '[1]']
    const other = {
      role: 'assistant',
      content: 'I search.',
      tool_calls: [call('search', '{"message":"x"}'), call('send_message', 'no JSON')],
    }
    expect(await read('plain', [...texts.map((content) => ({ role: 'user', content })), other])).toEqual([
      ...texts.map((text) => ['user', text]),
      ['assistant', 'I search.'],
    ])
  })
})
