import { afterAll, expect, it } from 'vitest'
import { createConversationRequests } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const requests = createConversationRequests(() => app)
const append = async (...request: Parameters<typeof requests.append>) =>
  (await requests.append(...request)).body as Body
const say = (content: string, more: object = {}) => ({ role: 'user', content, ...more })
const listIn = async (conversation: string) => (await requests.get(`${conversation}/messages`)).items
const statusesOf = ({ items }: Body) => items.map(({ status }: Body) => status)

it('compares messages without ids with those at the same places, and appends those that differ', async () => {
  await append('whole', [say('one'), say('two')])
  const again = await append('whole', [say('one'), say('two'), say('three')])
  expect(statusesOf(again)).toEqual(['unchanged', 'unchanged', 'created'])
  const rest = await append('whole', [say('three'), say('one')])
  expect(statusesOf(rest)).toEqual(['created', 'created'])
  const contents = (await listIn('whole')).map(({ content }: Body) => content)
  expect(contents).toEqual(['one', 'two', 'three', 'three', 'one'])
})

it('finds a message by its place although it has an id of the client', async () => {
  const [first] = (await append('named', [say('hello', { id: 'm1' })])).items
  const [same] = (await append('named', [say('hello')])).items
  expect(same).toEqual({ ...first, status: 'unchanged' })
})

it('stores messages without ids once when the same call races with itself', async () => {
  const messages = Array.from({ length: 10 }, (_, index) => say(`text ${index % 3}`))
  const answers = await Promise.all(Array.from({ length: 4 }, () => append('race', messages)))
  expect(answers.flatMap(statusesOf).filter((status) => status === 'created')).toHaveLength(10)
  expect(await listIn('race')).toHaveLength(10)
})

it.each([
  ['without times', {}],
  ['of one time', { at: '2025-06-01T08:00:00Z' }],
])('keeps the messages %s of each of several calls at once together', async (name, when) => {
  const calls = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all(
    calls.map((call) =>
      append(
        `together ${name}`,
        ['1', '2', '3', '4'].map((part) => say(part, { id: `${call}${part}`, ...when })),
      ),
    ),
  )
  const listed = await listIn(`together ${name}`)
  const order: string[] = listed.map((each: Body) => each.message_id)
  const inOrder = [...new Set(order.map((id) => id[0]))].flatMap((call) =>
    ['1', '2', '3', '4'].map((part) => `${call}${part}`),
  )
  expect(order).toEqual(inOrder)
  const positions: number[] = listed.map(({ position }: Body) => position)
  expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other))
})

it('does not compare with a message that the key may not see', async () => {
  await append('levels', [say('the plan')], { scope: 'team', sensitivity: 'high' })
  const key = await app.issueKey(['records:read', 'records:write'], {
    scopes: ['team'],
    max_sensitivity: 'low',
  })
  expect(statusesOf(await append('levels', [say('the plan')], { sensitivity: 'low' }, { key }))).toEqual([
    'created',
  ])
})

it('gives positions that ascend in the order of the conversation, also among messages of one time', async () => {
  const at = '2025-06-01T08:00:00Z'
  await append('ties', [say('a', { at }), say('b', { at })])
  await append('ties', [
    say('c', { at: '2025-06-01T10:00:00+02:00' }),
    say('d', { at: '2025-06-01T08:00:00.0005Z' }),
  ])
  await append('ties', [say('now'), say('and now')])
  const messages = await listIn('ties')
  expect(messages.map(({ content }: Body) => content)).toEqual(['a', 'b', 'c', 'd', 'now', 'and now'])
  const positions = messages.map(({ position }: Body) => position)
  expect(new Set(positions).size).toBe(6)
  expect([...positions].sort((one, other) => one - other)).toEqual(positions)
})

it('names no speaker where a message has only a role', async () => {
  const { items } = await append('roles', [say('hello')])
  const record = (await app.request('GET', `/v1/records/${items[0].record_id}`)).body as Body
  expect(record.interpretation.mentions).toEqual([])
})

it('shows a message above the ceiling of the key by its place alone', async () => {
  await append('apart', [say('open')], { scope: 'team' })
  const [hidden] = (await append('apart', [say('closed')], { scope: 'team', sensitivity: 'medium' })).items
  const key = await app.issueKey(['records:read'], { scopes: ['team'], max_sensitivity: 'low' })
  const { body } = await app.request('GET', '/v1/conversations/apart/messages', { key })
  expect((body as Body).items[1]).toEqual({
    record_id: hidden.record_id,
    at: expect.any(String),
    position: expect.any(Number),
    redacted: true,
  })
  const figures = (await app.request('GET', '/v1/conversations/apart', { key })).body as Body
  expect(figures).toMatchObject({ messages: 2, speakers: [{ name: 'user', messages: 1 }] })
})

it('answers that messages are unchanged although all of them are forgotten', async () => {
  const { items } = await append('gone', [say('bye', { id: 'm1' })])
  await app.request('DELETE', `/v1/records/${items[0].record_id}?actor=a&rationale=b`)
  const again = await append('gone', [say('bye', { id: 'm1' })])
  expect(again).toEqual({
    items: [{ ...items[0], status: 'unchanged' }],
    conversation: { id: 'gone', messages: 0, speakers: [] },
  })
})

it('takes any 256 characters as the id of a conversation', async () => {
  for (const id of ['\u{1f4ac}'.repeat(256), 'a/b c?d#e%f', '..%2f', '1']) {
    const path = encodeURIComponent(id)
    const { conversation } = await append(path, [say('hello')])
    expect(conversation.id).toBe(id)
    expect((await requests.get(path)).messages).toBe(1)
  }
})

it('answers the time of each message in UTC with milliseconds', async () => {
  await append('times', [say('earlier', { at: '2025-06-01T10:00:00+02:00' }), say('now')])
  const messages = await listIn('times')
  expect(messages.map(({ at }: Body) => at)).toEqual([
    '2025-06-01T08:00:00.000Z',
    app.clock.now().toISOString(),
  ])
})

it('gives ascending positions before 1970 too', async () => {
  const years = [1805, 1961, 1962, 1969, 1970, 1971]
  const messages = years.map((year) => say(`in ${year}`, { at: `${year}-12-31T23:59:59.999Z` }))
  const at = '1969-12-31T23:59:59.9999Z'
  await append('past', [...messages, say('again', { at }), say('and again', { at })])
  const listed = await listIn('past')
  const positions = listed.map(({ position }: Body) => position)
  expect([...positions].sort((one, other) => one - other)).toEqual(positions)
  expect(new Set(positions).size).toBe(8)
  const { record_id: id, position } = listed[0]
  const record = (await app.request('GET', `/v1/records/${id}`)).body as Body
  expect(record.payload.conversation.position).toBe(position)
  await append('older', [say('x', { at: '0001-01-01T00:00:00Z' }), say('y', { at: '1600-01-01T00:00:00Z' })])
  expect((await listIn('older')).map(({ content }: Body) => content)).toEqual(['x', 'y'])
})

it('orders captured events of one time by the position that they name', async () => {
  const timestamp = '1969-06-01T10:00:00.123+02:00'
  const capture = (ref: string, position?: number) =>
    app.request('POST', '/v1/capture', {
      body: {
        source: 'ci',
        summary: ref,
        content: { ref },
        timestamp,
        conversation: { id: 'events', ...(position === undefined ? {} : { position }) },
      },
    })
  for (const [ref, position] of [['last', 999], ['first'], ['third', 2], ['second', 1]] as const)
    expect((await capture(ref, position)).status).toBe(201)
  const listed = await listIn('events')
  expect(listed.map(({ content }: Body) => content)).toEqual(['first', 'second', 'third', 'last'])
  expect(listed.map(({ position }: Body) => position - listed[0].position)).toEqual([0, 1, 2, 999])
  expect(new Set(listed.map(({ at }: Body) => at))).toEqual(new Set(['1969-06-01T08:00:00.123Z']))
  const tooFar = await capture('beyond', 1_000)
  expectProblem(tooFar, 422, 'validation_failed')
  expect(pointersOf(tooFar)).toEqual(['/conversation/position'])
})

it('refuses an id that no conversation can have, and says why', async () => {
  for (const id of ['x'.repeat(257), '%00']) {
    const answers = [
      await requests.append(id, [say('hello')]),
      await app.request('GET', `/v1/conversations/${id}`),
      await app.request('DELETE', `/v1/conversations/${id}?actor=a&rationale=b`),
    ]
    for (const answer of answers) {
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual(['/conversation_id'])
    }
  }
  expectProblem(await requests.append('x'.repeat(4_000), [say('hello')]), 404, 'route_not_found')
})

it('tells a key that may not read nothing of the messages of others', async () => {
  await append('shared', [say('one', { name: 'Ada' }), say('two', { name: 'Bob' })], { scope: 'team' })
  const key = await app.issueKey(['records:write'], { scopes: ['team'] })
  const { items, conversation } = await append('shared', [say('three', { id: 'm3' })], {}, { key })
  expect(items).toEqual([{ message_id: 'm3', record_id: expect.any(String), status: 'created' }])
  expect(conversation).toEqual({ id: 'shared', scope: 'team' })
})
