import { afterAll, describe, expect, it } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const messages = [
  { id: 'instruction', content: 'Please, always name the tide table when a harbour is chosen.' },
  { id: 'on', content: 'From now on write the harbour in capital letters.' },
  { id: 'asked', content: 'When I ask about a harbour, answer in one line.' },
  { id: 'preference', content: 'For a night I prefer a quiet harbour.' },
  { id: 'advice', role: 'assistant', content: 'Always book the harbour if you prefer to sleep.' },
  { id: 'remark', content: 'The harbour was full, it always is.' },
  { id: 'own', content: 'My boat lies in the old harbour.' },
  { id: 'question', content: 'Is my harbour open?' },
  { id: 'wish', content: 'I was wondering if you could call the harbour.' },
  { id: 'answer', role: 'assistant', content: 'I have booked the harbour.' },
  { id: 'late', content: `${'We sailed past the harbour. '.repeat(14)}I prefer a buoy.` },
]

/** The factor of each message, and of the records that are stored beside them, by its id. */
async function ask(scope: string, task_descriptor: string): Promise<Record<string, number>> {
  const body = { scope, messages: messages.map((each) => ({ role: 'user', ...each })) }
  const { items } = (await app.request('POST', '/v1/conversations/talk/messages', { body })).body as Body
  const names = new Map(items.map((item: Body) => [item.record_id, item.message_id]))
  const payload = { kind: 'semantic', subject: 'Ines', predicate: 'prefers', object: 'the old harbour' }
  const fact = (await app.request('POST', '/v1/records', { body: { type: 'semantic', scope, payload } })).body
  names.set((fact as Body).id, 'fact')
  const question = { task_descriptor, scopes: [scope], explain: true, max_hops: 0, root_limit: 20 }
  const { nodes } = (await app.request('POST', '/v1/retrieve', { body: question })).body as Body
  return Object.fromEntries(
    nodes.map(({ record, signals }: Body) => [names.get(record.id), signals.guidance_factor]),
  )
}

describe('instructions that hold from now on, preferences, and what a person says of themselves', () => {
  it('count more in a question that asks for help', async () => {
    expect(await ask('help', 'Which harbour should I choose?')).toEqual({
      instruction: 1.7,
      on: 1.7,
      asked: 1.7,
      preference: 1.7,
      fact: 1.7,
      own: 1.7,
      question: 1,
      wish: 1,
      answer: 1,
      advice: 1,
      remark: 1,
      late: 1,
    })
  })

  it('count as much where an agent asks for its user', async () => {
    const factors = await ask('agent', "Which harbour fits the user's taste?")
    expect(factors).toMatchObject({ instruction: 1.7, preference: 1.7, own: 1.7, remark: 1, answer: 1 })
  })

  it('count like all others in a question about another person', async () => {
    const factors = await ask('other', 'Which harbour does Ines like?')
    expect(Object.keys(factors)).toHaveLength(12)
    expect(new Set(Object.values(factors))).toEqual(new Set([1]))
  })
})
