import { afterAll, expect, it } from 'vitest'
import { type Body, createAll } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const textsOf = ({ nodes }: Body) =>
  nodes.map(({ record: { payload } }: Body) => payload.object ?? payload.timeline[0].summary)

it('answers a question about a time by messages and facts of that time that share no word with it', async () => {
  const scope = 'spring'
  const messages = [
    { role: 'user', content: 'The harbour crane was painted.', at: '2025-04-03T10:00:00Z' },
    { role: 'user', content: 'Nadia sold the old ferry.', at: '2025-05-07T10:00:00Z' },
    { role: 'user', content: 'A discussion about May flies.', at: '2025-06-09T10:00:00Z' },
  ]
  const url = '/v1/conversations/quay/messages'
  expect((await app.request('POST', url, { body: { scope, messages } })).status).toBe(201)
  const remembered = { scope, text: 'The quay has four bollards.', occurred_at: '2025-05-20T10:00:00Z' }
  expect((await app.request('POST', '/v1/remember', { body: remembered })).status).toBe(201)
  const question = { task_descriptor: 'What was discussed in May?', scopes: [scope], max_hops: 0 }
  const found = textsOf(await retrieve(app, question))
  expect(found.slice(0, 2).sort()).toEqual(['Nadia sold the old ferry.', 'The quay has four bollards.'])
})

const yard = [
  { role: 'user', content: 'The repairs of the crane cost too much.', at: '2025-04-03T10:00:00Z' },
  { role: 'user', content: 'Nadia patched the hull.', at: '2025-05-07T10:00:00Z' },
  { role: 'user', content: 'A pump broke.', at: '2025-06-09T10:00:00Z' },
]

it.each([
  ['matches only a record of another time', 'Which repairs were needed in May 2025?', 2],
  ['matches nothing', 'Which mishaps occurred at work in May 2025?', 1],
])('finds the records of a time where a word beside it %s', async (name, task_descriptor, within) => {
  const url = `/v1/conversations/${encodeURIComponent(name)}/messages`
  expect((await app.request('POST', url, { body: { scope: name, messages: yard } })).status).toBe(201)
  const found = textsOf(await retrieve(app, { task_descriptor, scopes: [name], max_hops: 0 }))
  expect(found.slice(0, within)).toContain('Nadia patched the hull.')
  expect(found).not.toContain('A pump broke.')
})

it('does not add the records of a time that has very many of them', async () => {
  const messages = Array.from({ length: 201 }, (_, at) => ({
    role: 'user',
    content: `Crate ${at} was unloaded.`,
    at: new Date(Date.UTC(2025, 4, 1) + at * 60_000).toISOString(),
  }))
  const repairs = { role: 'user', content: 'The repairs began.', at: '2025-04-03T10:00:00Z' }
  const body = { scope: 'crates', messages: [repairs, ...messages] }
  expect((await app.request('POST', '/v1/conversations/crates/messages', { body })).status).toBe(201)
  const question = {
    task_descriptor: 'Which repairs were needed in May 2025?',
    scopes: ['crates'],
    max_hops: 0,
  }
  expect(textsOf(await retrieve(app, question))).toEqual(['The repairs began.'])
})

it('prefers a note of a time to a note that shares figures with its date', async () => {
  const scope = 'log'
  const createNote = (summary: string, t: string) => ({
    type: 'episodic',
    scope,
    payload: { kind: 'episodic', timeline: [{ t, event_kind: 'note', ref: 'log', summary }] },
  })
  await createAll(app, [
    createNote('Lunch was soup.', '2025-05-07T12:00:00Z'),
    createNote('The crane was painted on 2024/05/07.', '2024-05-07T12:00:00Z'),
  ])
  // So many notes are more salient that the first one is not among those whose time is read.
  app.clock.advance(60_000)
  const others = Array.from({ length: 120 }, (_, at) =>
    at % 40 === 0 ? 'Lunch was pie.' : 'The deck was swept.',
  )
  await createAll(
    app,
    others.map((summary, at) => createNote(summary, new Date(Date.UTC(2025, 7, at)).toISOString())),
  )
  const question = { task_descriptor: 'What was lunch on 2025/05/07?', scopes: [scope], max_hops: 0 }
  expect(textsOf(await retrieve(app, question))[0]).toBe('Lunch was soup.')
})

it('does not answer with messages of that time that the key may not see', async () => {
  const scope = 'guarded'
  const messages = [{ role: 'user', content: 'Nadia sold the lighthouse.', at: '2025-05-07T10:00:00Z' }]
  const body = { scope, messages, sensitivity: 'high' }
  expect((await app.request('POST', '/v1/conversations/tower/messages', { body })).status).toBe(201)
  const question = { task_descriptor: 'What was discussed in May?', scopes: [scope], max_hops: 0 }
  expect((await retrieve(app, question)).nodes).toHaveLength(1)
  const { nodes } = await retrieve(app, { ...question, trust: { max_sensitivity: 'low' } })
  expect(nodes.filter(({ record }: Body) => !record.redacted)).toEqual([])
})

it.each([
  ['yesterday', '0001-01-01T12:00:00Z'],
  ['what happened 900 years ago', '0500-06-01T00:00:00Z'],
  ['last 999 years', '0700-06-01T00:00:00Z'],
])('answers a question about a time outside of the calendar: %s', async (task_descriptor, as_of) => {
  for (const path of ['/v1/retrieve', '/v1/context'])
    expect((await app.request('POST', path, { body: { task_descriptor, as_of } })).status).toBe(200)
})
