import { afterAll, describe, expect, it } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const asking = [
  'Which harbour did you sail to?',
  'That sounds wonderful! Which harbour did you sail to in the end?',
  'Harbour? Really?',
  'どの harbour ですか？',
]
const stating = [
  'The harbour of Hvar, as always.',
  'Shall we meet at the harbour?',
  'I moored at the old harbour, and you?',
  'Do you like my harbour?',
  'Was the harbour closed until 5 o’clock?',
  'The harbour master closed the gate at noon. Clear?',
  'See https://example.org/harbour?berth=4',
  `Which harbour? ${'It rained. '.repeat(60)}`,
]

/** The factor of each text, stored as a message. */
async function ask(scope: string, task_descriptor: string): Promise<Map<string, number>> {
  const texts = [...asking, ...stating]
  const messages = texts.map((content, at) => ({ id: `m${at}`, role: 'user', content }))
  const path = `/v1/conversations/${scope}/messages`
  const { items } = (await app.request('POST', path, { body: { scope, messages } })).body as Body
  const contents = new Map(items.map((item: Body, at: number) => [item.record_id, texts[at]]))
  const question = { task_descriptor, scopes: [scope], explain: true, max_hops: 0, root_limit: 20 }
  const { nodes } = (await app.request('POST', '/v1/retrieve', { body: question })).body as Body
  return new Map(nodes.map(({ record, signals }: Body) => [contents.get(record.id), signals.asking_factor]))
}

describe('messages that only ask', () => {
  it('count half, and those that say something of their writer in full', async () => {
    const factors = await ask('answers', 'Which harbour is the best?')
    expect(factors.size).toBe(asking.length + stating.length)
    expect(asking.map((text) => factors.get(text))).toEqual(asking.map(() => 0.5))
    expect(stating.map((text) => factors.get(text))).toEqual(stating.map(() => 1))
  })

  it('count in full in a question about what was asked', async () => {
    const factors = await ask('questions', 'Which harbour was I asked about?')
    expect(factors.size).toBe(asking.length + stating.length)
    expect(new Set(factors.values())).toEqual(new Set([1]))
  })
})
