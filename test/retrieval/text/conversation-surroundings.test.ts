import { afterAll, describe, expect, it } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
afterAll(() => app.close())

type Line = {
  id: string
  content: string
  role?: string
  name?: string
  at?: string
  sensitivity?: string
  tags?: string[]
}

const minute = (number: number) => new Date(Date.UTC(2025, 5, 1, 8, number)).toISOString()

/** Stores lines one by one, a minute apart, and answers their record ids by message id. */
async function store(scope: string, lines: readonly Line[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const [index, { sensitivity = 'low', tags = [], at = minute(index), ...line }] of lines.entries()) {
    const body = { scope, sensitivity, tags, messages: [{ role: 'user', at, ...line }] }
    const answer = (await app.request('POST', '/v1/conversations/talk/messages', { body })).body as Body
    for (const item of answer.items) ids.set(item.message_id, item.record_id)
  }
  return ids
}

/** Asks with a key of one scope, and answers the relevance of each message by its id. The score fades with time as well. */
async function ask(scope: string, ids: ReadonlyMap<string, string>, more: object = {}) {
  const key = await app.issueKey(['records:read'], { scopes: [scope], max_sensitivity: 'low' })
  const body = { task_descriptor: 'which region does billing use', max_hops: 0, explain: true, ...more }
  const { nodes } = (await app.request('POST', '/v1/retrieve', { key, body })).body as Body
  const messageOf = new Map(Array.from(ids, ([message, record]) => [record, message]))
  return new Map<string, number>(
    nodes.map(({ record, signals }: Body) => [messageOf.get(record.id) ?? record.id, signals.fused]),
  )
}

const talk: Line[] = [
  { id: 'hello', content: 'good morning everyone' },
  { id: 'question', content: 'which region does billing use nowadays?' },
  { id: 'answer', content: 'Frankfurt since March' },
  { id: 'thanks', content: 'great stuff' },
  { id: 'far', content: 'lunch anyone' },
]

describe('a question about a conversation', () => {
  it('finds an answer that shares no word with the question next to a message that does', async () => {
    const scores = await ask('beside', await store('beside', talk))
    expect([...scores.keys()].slice(0, 2)).toEqual(['answer', 'question'])
    expect(scores.has('far')).toBe(false)
  })

  it('does not reach over a pause longer than the gap of a session', async () => {
    const lines = talk.map((line, index) => ({ ...line, at: minute(index < 2 ? index : 120 + index) }))
    const scores = await ask('pause', await store('pause', lines))
    expect([...scores.keys()].sort()).toEqual(['hello', 'question'])
  })

  it('answers no neighbour that a filter excludes', async () => {
    const tagged = talk.map((line) => (line.id === 'question' ? { ...line, tags: ['asked'] } : line))
    const scores = await ask('filtered', await store('filtered', tagged), { tags: ['asked'] })
    expect([...scores.keys()]).toEqual(['question'])
  })

  it('answers no neighbour without a phrase in quotes', async () => {
    const ids = await store('phrase', talk)
    const scores = await ask('phrase', ids, { task_descriptor: '"billing use" region' })
    expect([...scores.keys()]).toEqual(['question'])
  })

  it('does not change with a message of another conversation or scope', async () => {
    const scores = await ask('alone', await store('alone', talk))
    await store('other', talk)
    expect(await ask('alone', await store('alone', talk))).toEqual(scores)
  })
})

describe('a question that names a speaker', () => {
  const lines = [
    {
      id: 'congratulation',
      name: 'Bo',
      content: 'Ada, your pottery course sounds lovely, a pottery course!',
    },
    { id: 'pause', name: 'Cleo', content: 'see you tomorrow then' },
    { id: 'statement', name: 'Ada', content: 'the pottery course began on Monday' },
  ]

  /** The messages in their order, each with the factor of its speaker. */
  async function askAbout(scope: string, task_descriptor: string, messages: readonly Line[] = lines) {
    const ids = await store(scope, messages)
    const body = { task_descriptor, scopes: [scope], explain: true, max_hops: 0 }
    const { nodes } = (await app.request('POST', '/v1/retrieve', { body })).body as Body
    const messageOf = new Map(Array.from(ids, ([message, record]) => [record, message]))
    return nodes.map(({ record, signals }: Body) => [messageOf.get(record.id), signals.speaker_factor])
  }

  it('finds what they wrote before what others wrote to them', async () => {
    const asked = await askAbout('speaker', 'When did the pottery course of Ada begin?')
    expect(asked[0]).toEqual(['statement', 1])
    expect(asked).toContainEqual(['congratulation', 2 / 3])
  })

  it.each(['', '[8 May 2023, 13:56] '])('reads the names that messages begin with after %j', async (time) => {
    const labelled = lines.map(({ id, name, content }) => ({ id, content: `${time}${name}: ${content}` }))
    const note = { id: 'note', content: 'Note: the pottery course takes place' }
    const asked = await askAbout(`labels${time.length}`, 'When did the pottery course of Ada begin?', [
      ...labelled,
      note,
    ])
    expect(asked[0]).toEqual(['statement', 1])
    expect(asked).toContainEqual(['congratulation', 2 / 3])
    expect(asked).toContainEqual(['note', 1])
  })

  it('weighs all speakers alike where none of them is named', async () => {
    const asked = await askAbout('no-speaker', 'When did the pottery course begin?')
    expect(asked.length).toBeGreaterThan(1)
    expect(asked.map(([, factor]: Body) => factor)).toEqual(asked.map(() => 1))
  })
})

describe('a question about whoever asks', () => {
  const talkWith = (role: string) => [
    { id: 'advice', role, content: 'a kayak from the shop at the harbour would be best to buy' },
    { id: 'pause', content: 'see you tomorrow then' },
    { id: 'statement', content: 'so I went to the shop at the harbour to buy a kayak' },
  ]
  const askAbout = async (scope: string, task_descriptor: string, role = 'assistant') => {
    const ids = await store(scope, talkWith(role))
    const body = { task_descriptor, scopes: [scope], explain: true, max_hops: 0 }
    const { nodes } = (await app.request('POST', '/v1/retrieve', { body })).body as Body
    const factors = new Map(nodes.map(({ record, signals }: Body) => [record.id, signals.speaker_factor]))
    return ['advice', 'statement'].map((id) => factors.get(ids.get(id) ?? ''))
  }

  it.each(['assistant', 'Model', 'ai'])('counts the messages of an assistant less: %s', async (role) => {
    expect(await askAbout(`asker-${role}`, 'Which kayak did I buy at the harbour?', role)).toEqual([3 / 4, 1])
  })

  it('counts them more if it is about what the assistant told', async () => {
    expect(await askAbout('advice', 'Which kayak did you tell me to buy at the harbour?')).toEqual([4 / 3, 1])
  })

  it('counts all alike in a question about nobody', async () => {
    expect(await askAbout('nobody', 'Which kayak is sold at the harbour?')).toEqual([1, 1])
  })
})

describe('a message that the caller may not see', () => {
  const secret = { id: 'secret', content: 'billing region billing region use' }
  const between = [...talk.slice(0, 2), secret, ...talk.slice(2)]
  const others = (scores: Map<string, number>) => [...scores].filter(([id]) => id !== 'secret')

  it.each([
    ['is more sensitive', 'hidden', { sensitivity: 'hyper' }, async () => {}],
    [
      'was forgotten',
      'forgotten',
      {},
      (id: string) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`),
    ],
    [
      'was erased',
      'erased',
      {},
      (id: string) =>
        app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'a', rationale: 'b' } }),
    ],
  ])('moves no score when it %s', async (_, name, more, remove) => {
    const lines = between.map((line, index) => ({
      ...line,
      ...(line.id === 'secret' ? more : {}),
      at: minute(2 * index),
    }))
    const without = lines.filter(({ id }) => id !== 'secret')
    const expected = await ask(`${name}-without`, await store(`${name}-without`, without))
    const ids = await store(`${name}-with`, lines)
    await remove(ids.get('secret') ?? '')
    const scores = await ask(`${name}-with`, ids)
    expect(scores.has('secret')).toBe(false)
    expect(others(scores)).toEqual([...expected])
  })
})
