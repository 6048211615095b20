import { afterAll, describe, expect, it } from 'vitest'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import {
  createConversationRequests,
  say,
  statusesOf,
  textsOf,
} from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const tombstoneKey = 'k'.repeat(32)
const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: tombstoneKey } })
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)

describe('POST /v1/conversations/{id}/messages', () => {
  it('stores each message as an episodic record with its place, its speaker and its source', async () => {
    const at = '2025-06-01T08:00:00.000Z'
    const answer = await append('c1', [say('m1', 'Billing runs in eu-west-1.', { name: 'Ada', at })])
    expect(answer.status).toBe(201)
    const { items, conversation } = answer.body as Body
    expect(items).toEqual([{ message_id: 'm1', record_id: expect.any(String), status: 'created' }])
    const speakers = [{ name: 'Ada', messages: 1 }]
    const updated_at = expect.any(String)
    expect(conversation).toEqual({ id: 'c1', messages: 1, speakers, first_at: at, last_at: at, updated_at })
    const record = (await app.request('GET', `/v1/records/${items[0].record_id}`)).body as Body
    const { position } = (await get('c1/messages')).items[0]
    expect(record).toMatchObject({
      type: 'episodic',
      payload: {
        conversation: { id: 'c1', message_id: 'm1', at, role: 'user', name: 'Ada', position },
        timeline: [{ t: at, event_kind: 'message', summary: 'Billing runs in eu-west-1.' }],
      },
      provenance: { sources: [{ kind: 'event', ref: 'conversation:c1#m1' }] },
      interpretation: { mentions: [{ surface: 'Ada', entity_kind: 'Person' }] },
    })
    expect(Date.parse(record.created_at)).toBeGreaterThan(Date.parse(at))
  })

  it('leaves a message that is repeated as it is, with an id or without', async () => {
    const messages = [say('a', 'one'), { role: 'assistant', content: 'two' }]
    expect(statusesOf(await append('c2', messages))).toEqual(['created', 'created'])
    expect(statusesOf(await append('c2', messages))).toEqual(['unchanged', 'unchanged'])
    expect(statusesOf(await append('c2', [...messages, say('b', 'three')]))).toEqual([
      'unchanged',
      'unchanged',
      'created',
    ])
    expect((await get('c2')).messages).toBe(3)
  })

  it('refuses an id with another text, stored or in the same call, and stores nothing of the call', async () => {
    await append('c3', [say('a', 'one')])
    const other = await append('c3', [say('b', 'new'), say('a', 'changed')])
    expectProblem(other, 409, 'message_conflict')
    const byAnother = await append('c3', [say('a', 'one', { role: 'assistant' })])
    expectProblem(byAnother, 409, 'message_conflict')
    expectProblem(await append('c3', [say('x', 'one'), say('x', 'two')]), 409, 'message_conflict')
    expect((await get('c3')).messages).toBe(1)
  })

  it('stores a message once when the same call races with itself', async () => {
    const messages = Array.from({ length: 20 }, (_, index) => say(`m${index}`, `text ${index}`))
    const answers = await Promise.all(Array.from({ length: 4 }, () => append('race', messages)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(answers.flatMap(statusesOf).filter((status) => status === 'created')).toHaveLength(20)
    expect((await get('race')).messages).toBe(20)
  })

  it('keeps the same conversation id of two scopes apart', async () => {
    await append('same', [say('m', 'in one')], { scope: 'one' })
    const other = await append('same', [say('m', 'in two')], { scope: 'two' })
    expect(statusesOf(other)).toEqual(['created'])
    expect(textsOf(await get('same/messages?scope=one'))).toEqual(['in one'])
    expect((await app.request('GET', '/v1/conversations/same')).status).toBe(404)
  })

  it('does not show by its answer that a more sensitive message has the same id', async () => {
    await append('levels', [say('m', 'the secret plan')], { scope: 'team', sensitivity: 'high' })
    const key = await app.issueKey(['records:read', 'records:write'], {
      scopes: ['team'],
      max_sensitivity: 'low',
    })
    const answer = await append('levels', [say('m', 'hello')], { sensitivity: 'low' }, { key })
    expect(statusesOf(answer)).toEqual(['created'])
    expect((answer.body as Body).conversation.messages).toBe(1)
  })

  it('refuses a scope that the key does not have, and a time in the future', async () => {
    const key = await app.issueKey(['records:read', 'records:write'], { scopes: ['mine'] })
    expectProblem(await append('c4', [say('m', 'x')], { scope: 'yours' }, { key }), 403, 'outside_trust')
    const late = await append('c4', [say('a', 'x'), say('b', 'y', { at: '2999-01-01T00:00:00Z' })])
    expectProblem(late, 422, 'validation_failed')
    expect(pointersOf(late)).toEqual(['/messages/1/at'])
  })

  it('refuses a message whose content was erased, wherever in the scope it comes again', async () => {
    const text = 'my number is five five five one two'
    const stored = (await append('erased', [say('m', text)])).body as Body
    const body = { actor: 'test', rationale: 'asked' }
    await app.request('POST', `/v1/records/${stored.items[0].record_id}/erase`, { body })
    expectProblem(await append('erased', [say('m', text)]), 409, 'erased_content')
    const other = await append('elsewhere', [say('a', 'hello'), say('b', text)])
    expectProblem(other, 409, 'erased_content')
    expect((await app.request('GET', '/v1/conversations/erased')).status).toBe(404)
  })

  it('refuses an erased message of a script without spaces in every conversation', async () => {
    const eraseStored = async (text: string) => {
      const stored = (await append('zh', [say(text, text)])).body as Body
      const body = { actor: 'test', rationale: 'asked' }
      await app.request('POST', `/v1/records/${stored.items[0].record_id}/erase`, { body })
    }
    const long = '我的银行卡密码是四二七一，请不要告诉别人'
    const short = '好的，谢谢'
    await eraseStored(long)
    expectProblem(await append('zh-2', [say('other', long)]), 409, 'erased_content')
    await eraseStored(short)
    expect((await append('zh-2', [say('other', short)])).status).toBe(201)
  })

  it('refuses what an earlier version erased under its own id', async () => {
    const text = '我的银行卡密码是四二七二，请不要告诉别人'
    const stored = (await append('ja', [say('m', text)])).body as Body
    const { payload, scope = '' } = (await app.request('GET', `/v1/records/${stored.items[0].record_id}`))
      .body as Body
    const body = { actor: 'test', rationale: 'asked' }
    await app.request('POST', `/v1/records/${stored.items[0].record_id}/erase`, { body })
    const seal = createSeal(tombstoneKey)
    await app.db
      .updateTable('tombstones')
      .set({ digest: seal.earlierDigest(scope, payload) ?? Buffer.of() })
      .where('digest', '=', seal.digest(scope, payload) ?? Buffer.of())
      .execute()
    expectProblem(await append('ja', [say('m', text)]), 409, 'erased_content')
    expect((await append('ja-2', [say('m', text)])).status).toBe(201)
  })

  it('takes a short message although an equal one of another conversation was erased', async () => {
    const stored = (await append('short', [say('m', 'Yes, please!')])).body as Body
    const body = { actor: 'test', rationale: 'asked' }
    await app.request('POST', `/v1/records/${stored.items[0].record_id}/erase`, { body })
    expectProblem(await append('short', [say('m', 'yes please')]), 409, 'erased_content')
    expect((await append('shorter', [say('m', 'yes, please')])).status).toBe(201)
  })
})

describe('GET /v1/conversations/{id}/messages', () => {
  it('answers messages by time, then arrival, page by page', async () => {
    const at = (minute: number) => ({ at: `2025-06-01T08:0${minute}:00.000Z` })
    await append('order', [say('3', 'third', at(3)), say('1', 'first', at(1)), say('1b', 'next', at(1))])
    await append('order', [say('2', 'late arrival', at(2))])
    const first = await get('order/messages?limit=2')
    expect(textsOf(first)).toEqual(['first', 'next'])
    const second = await get(`order/messages?limit=2&cursor=${first.next_cursor}`)
    expect(textsOf(second)).toEqual(['late arrival', 'third'])
    expect(second.next_cursor).toBeUndefined()
  })

  it('shows neither hidden nor forgotten messages', async () => {
    const stored = (await append('seen', [say('1', 'one'), say('2', 'two')], { scope: 's' })).body as Body
    await append('seen', [say('3', 'secret')], { scope: 's', sensitivity: 'hyper' })
    const key = await app.issueKey(['records:read'], { scopes: ['s'], max_sensitivity: 'low' })
    const [one] = stored.items
    await app.request('DELETE', `/v1/records/${one.record_id}?actor=a&rationale=b`)
    expect(textsOf(await get('seen/messages', { key }))).toEqual(['two'])
    expect((await get('seen', { key })).messages).toBe(1)
    const outside = await app.issueKey(['records:read'], { scopes: ['other'] })
    const hidden = await app.request('GET', '/v1/conversations/seen/messages?scope=s', { key: outside })
    expectProblem(hidden, 404, 'conversation_not_found')
  })
})

describe('GET /v1/conversations', () => {
  it('lists the conversation that was added to last first, page by page', async () => {
    for (const [index, id] of ['old', 'mid', 'new'].entries()) {
      const minute = [9, 1, 5][index]
      await append(id, [say('m', id, { at: `2025-07-01T08:0${minute}:00.000Z` })], { scope: 'listing' })
    }
    const list = async (query: string) =>
      (await app.request('GET', `/v1/conversations?scope=listing${query}`)).body as Body
    const all = await list('')
    expect(all.items.map(({ id }: Body) => id)).toEqual(['new', 'mid', 'old'])
    const page = await list('&limit=1')
    expect(page.items).toEqual([all.items[0]])
    expect((await list(`&limit=2&cursor=${page.next_cursor}`)).items).toEqual(all.items.slice(1))
    const key = await app.issueKey(['records:read'], { scopes: ['other'] })
    expect(((await app.request('GET', '/v1/conversations', { key })).body as Body).items).not.toContainEqual(
      expect.objectContaining({ scope: 'listing' }),
    )
  })
})

it('brings messages to another store by export and import, and knows them there', async () => {
  const messages = [say('1', 'carried over'), say('2', 'and the next')]
  await append('carried', messages, { scope: 'export' })
  const exported = await app.request('GET', '/v1/export?scope=export')
  const target = await startTestApp()
  try {
    const headers = { 'content-type': 'application/x-ndjson' }
    await target.request('POST', '/v1/import', { body: exported.text, headers })
    const path = '/v1/conversations/carried/messages'
    const read = (await target.request('GET', `${path}?scope=export`)).body as Body
    expect(textsOf(read)).toEqual(['carried over', 'and the next'])
    const again = await target.request('POST', path, { body: { messages, scope: 'export' } })
    expect(statusesOf(again)).toEqual(['unchanged', 'unchanged'])
  } finally {
    await target.close()
  }
})

it('takes a captured event into the conversation that it names', async () => {
  await append('mixed', [say('1', 'please run the tests', { at: '2025-06-01T08:00:00.000Z' })])
  const captured = await app.request('POST', '/v1/capture', {
    body: {
      source: 'ci',
      source_kind: 'tool_output',
      summary: 'The tests passed.',
      conversation: { id: 'mixed' },
      content: { ref: 'run-1', tool_name: 'vitest', result: { passed: 12 } },
      timestamp: '2025-06-01T08:01:00.000Z',
    },
  })
  expect(captured.status).toBe(201)
  await append('mixed', [say('2', 'thank you', { at: '2025-06-01T08:02:00.000Z' })])
  expect(textsOf(await get('mixed/messages'))).toEqual([
    'please run the tests',
    'The tests passed.',
    'thank you',
  ])
  expect((await get('mixed')).speakers).toEqual([
    { name: 'user', messages: 2 },
    { name: 'ci', messages: 1 },
  ])
})
