import { afterAll, expect, it } from 'vitest'
import { createConversationRequests, say, statusesOf } from '../support/requests/conversation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
afterAll(() => app.close())

const { append } = createConversationRequests(() => app)

async function append201(conversation: string, messages: object[], more: object = {}): Promise<string[]> {
  const answer = await append(conversation, messages, more)
  expect(answer.status).toBe(201)
  return (answer.body as Body).items.map(({ record_id: id }: Body) => id)
}

async function findEntities(term: string, scope: string): Promise<Body[]> {
  const query = new URLSearchParams({ term, scope })
  return ((await app.request('GET', `/v1/entities?${query}`)).body as Body).items
}

async function read(id: string): Promise<Body> {
  return (await app.request('GET', `/v1/records/${id}`)).body as Body
}

async function listMentions(id: string): Promise<string[]> {
  const { items } = (await app.request('GET', `/v1/entities/${id}/records`)).body as Body
  return items.map((record: Body) => record.id).sort()
}

it('a named speaker becomes one entity of the scope, with all of its messages; a role alone becomes none', async () => {
  const scope = 'family'
  const first = await append201(
    'c1',
    [
      say('1', 'I moved to Lisbon.', { name: 'Caroline Diaz' }),
      say('2', 'How is the weather?', { name: 'Melanie' }),
      say('3', 'Warm.', { name: 'caroline  DIAZ' }),
      say('4', 'Noted.', { role: 'assistant' }),
    ],
    { scope },
  )
  const second = await append201('c2', [say('1', 'I found a job.', { name: 'Caroline Diaz' })], { scope })
  await append201('c1', [say('1', 'I moved to Lisbon.', { name: 'Caroline Diaz' })], { scope })

  const [caroline, ...others] = await findEntities('Caroline Diaz', scope)
  expect(others).toEqual([])
  expect(caroline).toMatchObject({
    scope,
    sensitivity: 'low',
    payload: { canonical_name: 'Caroline Diaz', primary_type: 'Person' },
    provenance: { sources: [{ kind: 'event', ref: first[0] }] },
  })
  expect(await listMentions(caroline?.id)).toEqual([first[0], first[2], second[0]].sort())
  expect(await findEntities('Melanie', scope)).toHaveLength(1)
  expect(await findEntities('assistant', scope)).toEqual([])
  expect(await findEntities('user', scope)).toEqual([])

  const record = await read(first[2] ?? '')
  expect(record.interpretation).toMatchObject({
    status: 'resolved',
    mentions: [{ surface: 'caroline  DIAZ', canonical_entity_id: caroline?.id }],
  })
  expect(record.relations).toMatchObject([{ predicate: 'mentions_entity', target_id: caroline?.id }])
})

it('a speaker is an entity that is known, in its scope and up to the sensitivity of the messages', async () => {
  const create = async (scope: string, sensitivity: string) => {
    const payload = {
      kind: 'entity',
      canonical_name: 'Grace Hopper',
      primary_type: 'Person',
      aliases: [{ value: 'Amazing Grace' }],
    }
    const body = { type: 'entity', scope, sensitivity, payload }
    return ((await app.request('POST', '/v1/records', { body })).body as Body).id
  }
  const known = await create('navy', 'low')
  await create('elsewhere', 'low')
  const secret = await create('secret', 'high')
  const [byAlias] = await append201('c', [say('1', 'Nanoseconds.', { name: 'amazing grace' })], {
    scope: 'navy',
  })
  expect(await listMentions(known)).toEqual([byAlias])
  const [open] = await append201('c', [say('1', 'Compilers.', { name: 'Grace Hopper' })], {
    scope: 'secret',
    sensitivity: 'low',
  })
  expect(await listMentions(secret)).toEqual([])
  const [target] = (await read(open ?? '')).relations
  expect(target.target_id).not.toBe(secret)
  expect((await read(target.target_id)).sensitivity).toBe('low')
})

it('calls at once in several conversations make one entity of a new speaker', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      append(
        `race ${index}`,
        [say('1', `Text ${index}.`, { name: 'Ada Racer' }), say('2', `More ${index}.`, { name: 'Bo Racer' })],
        { scope: 'race' },
      ),
    ),
  )
  expect(answers.flatMap(statusesOf)).toEqual(Array(12).fill('created'))
  for (const name of ['Ada Racer', 'Bo Racer']) {
    const [entity, ...others] = await findEntities(name, 'race')
    expect(others).toEqual([])
    expect(await listMentions(entity?.id)).toHaveLength(6)
  }
})

it('an entity is erased with the last message of its speaker, and a name that is erased itself becomes none again', async () => {
  const scope = 'erased'
  const name = 'Eve Gone'
  const erase = async (id = '') => {
    const body = { actor: 'a', rationale: 'b', cascade: true }
    expect((await app.request('POST', `/v1/records/${id}/erase`, { body })).status).toBe(200)
  }
  const both = [say('1', 'First.', { name }), say('2', 'Second.', { name })]
  const [one, two] = await append201('c', both, { scope })
  await erase(one)
  const [entity] = await findEntities(name, scope)
  expect(await listMentions(entity?.id)).toEqual([two])
  const [three] = await append201('c', [say('3', 'Third.', { name })], { scope })
  await erase(two)
  expect(await listMentions(entity?.id)).toEqual([three])
  await erase(three)
  expect(await findEntities(name, scope)).toEqual([])

  await append201('c', [say('4', 'Fourth.', { name })], { scope })
  const [next] = await findEntities(name, scope)
  await erase(next?.id)
  const [later] = await append201('c', [say('5', 'Fifth.', { name })], { scope })
  expect(await findEntities(name, scope)).toEqual([])
  const { relations, interpretation } = await read(later ?? '')
  expect(relations).toEqual([])
  expect(interpretation).toMatchObject({ status: 'tentative', mentions: [{ surface: name }] })
})

it('an entity rests on a hundred of its messages at most', async () => {
  const name = 'Zoe Talker'
  const many = Array.from({ length: 150 }, (_, index) => say(`m${index}`, `Remark ${index}.`, { name }))
  await append201('c', many, { scope: 'talk' })
  await append201('c', [say('last', 'One more remark.', { name })], { scope: 'talk' })
  const [entity] = await findEntities(name, 'talk')
  const descents = app.db.selectFrom('descents').where('derived_id', '=', entity?.id)
  expect(await descents.select(({ fn }) => fn.countAll<number>().as('count')).execute()).toEqual([
    { count: 100 },
  ])
})

it('a name with a secret or without a letter becomes no entity', async () => {
  const secret = `AKIA${'Q7'.repeat(8)}`
  const ids = await append201('c', [say('1', 'One.', { name: secret }), say('2', 'Two.', { name: '  ' })], {
    scope: 'odd',
  })
  for (const id of ids) expect((await read(id)).relations).toEqual([])
})

it('what a speaker said comes before an entity that is only a name', async () => {
  const scope = 'asked'
  const name = 'Caroline'
  const [answer = ''] = await append201(
    'c',
    [
      say('1', 'I have moved to Lisbon with my sister.', { name }),
      say('2', 'We live by the river.', { name }),
    ],
    { scope },
  )
  const ask = async () => {
    const body = { task_descriptor: 'Where does Caroline live?', scopes: [scope], explain: true }
    return (await app.request('POST', '/v1/retrieve', { body })).body as Body
  }
  const [entity] = await findEntities(name, scope)
  const findNode = ({ nodes }: Body) => nodes.find(({ record }: Body) => record.id === entity?.id)
  const found = await ask()
  const { root_ids: roots } = found
  expect(roots.indexOf(answer)).toBeLessThan(roots.indexOf(entity?.id))
  expect(findNode(found).signals.name_factor).toBe(0.5)
  const patch = { payload: { ...entity?.payload, summary: 'Caroline lives in Lisbon.' } }
  await app.request('PATCH', `/v1/records/${entity?.id}`, { body: patch })
  expect(findNode(await ask()).signals.name_factor).toBe(1)
})
