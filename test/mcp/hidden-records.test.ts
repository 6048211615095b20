import { afterAll, expect, it } from 'vitest'
import { permissions } from '../../src/domain/trust/caller.ts'
import { connectClient, connectEarlierClient } from '../support/http/mcp-clients.ts'
import { type Body, create, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({
  variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests of hidden records' },
})
afterAll(() => app.close())

const profile = 'lifecycle,openai'
const unknown = '0197b9a0-0000-7000-8000-000000000001'
const reason = 'trying'

/** A call of every tool that takes the id of a record. */
const calls = (id: string): [string, Record<string, unknown>][] => [
  ['get', { id }],
  ['get', { id, with_history: true }],
  ['explain', { id }],
  ['explain', { id, query: 'vault' }],
  ['fetch', { id }],
  ...['supersede', 'contest', 'retract'].map((op): [string, Record<string, unknown>] => [
    'revise',
    { id, op, text: 'other', reason },
  ]),
  ['reinforce', { ids: [id], outcome: 'helped' }],
  ['reinforce', { ids: [id], outcome: 'did_not_help' }],
  ...['promote', 'demote', 'pin', 'unpin', 'forget', 'restore'].map(
    (name): [string, Record<string, unknown>] => [name, { id, reason }],
  ),
]

it('answers a hidden record, forgotten and erased ones too, as one that never was', async () => {
  const payload = { kind: 'semantic', subject: 'vault', predicate: 'is', object: 'closed' }
  const scope = 'mine'
  const hidden = {
    'of another scope': await create(app, fact({ scope: 'theirs', payload })),
    'far above the ceiling': await create(app, fact({ scope, sensitivity: 'high', payload })),
    'forgotten in another scope': await create(
      app,
      fact({ scope: 'theirs', payload: { ...payload, object: 'a' } }),
    ),
    'forgotten above the ceiling': await create(
      app,
      fact({ scope, sensitivity: 'high', payload: { ...payload, object: 'b' } }),
    ),
    'erased in another scope': await create(
      app,
      fact({ scope: 'theirs', payload: { ...payload, object: 'c' } }),
    ),
    'erased above the ceiling': await create(
      app,
      fact({ scope, sensitivity: 'high', payload: { ...payload, object: 'd' } }),
    ),
  }
  for (const [name, { id }] of Object.entries(hidden)) {
    if (name.startsWith('forgotten')) await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
    if (name.startsWith('erased'))
      await app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'a', rationale: 'b' } })
  }
  const before = await app.request('GET', '/v1/export?include_forgotten=true')
  const key = await app.issueKey(
    permissions.filter((each) => each !== 'admin'),
    { scopes: [scope], max_sensitivity: 'low' },
  )
  for (const [nth, connect] of [connectClient, connectEarlierClient].entries()) {
    const client = await connect(app, { key, profile })
    const answersFor = async (id: string) => {
      const answers: unknown[] = []
      for (const [name, args] of calls(id)) answers.push(await client.callTool({ name, arguments: args }))
      const uri = `memory://record/${id}`
      answers.push(await client.readResource({ uri }).catch(({ code, message }) => ({ code, message })))
      return JSON.stringify(answers)
        .replaceAll(id, 'ID')
        .replaceAll(/request_id\W+[\w-]+/g, 'request_id')
    }
    const expected = await answersFor(unknown)
    expect(expected.match(/record_not_found/g)?.length).toBeGreaterThanOrEqual(calls(unknown).length)
    // One client asks for those of another scope, the other one for those above the ceiling.
    const asked = Object.entries(hidden).filter((_, place) => place % 2 === nth)
    for (const [name, { id }] of asked) expect(await answersFor(id), name).toBe(expected)
  }
  expect((await app.request('GET', '/v1/export?include_forgotten=true')).text).toBe(before.text)
})

it('lets a key call the tools that it lists and no other', async () => {
  const record = await create(app, fact({ scope: 'listed' }))
  const all = (await (await connectClient(app, { profile })).listTools()).tools.map(({ name }) => name)
  for (const permission of permissions) {
    const key = await app.issueKey([permission])
    for (const connect of [connectClient, connectEarlierClient]) {
      const client = await connect(app, { key, profile })
      const listed = (await client.listTools()).tools.map(({ name }) => name)
      const callable: string[] = []
      for (const name of all) {
        const result = await client.callTool({ name, arguments: { odd: record.id } }).catch((error) => error)
        if ((result as Body).isError) callable.push(name)
        else expect(result).toMatchObject({ code: -32_602 })
      }
      expect(callable).toEqual(listed)
    }
  }
  expect(await read(app, record.id)).toEqual(record)
})
