import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nameHandle } from '../../../src/domain/identity/handles.ts'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { findEntitiesByName } from '../../../src/entities/entities.queries.ts'
import { createConversationRequests } from '../../support/requests/conversation-requests.ts'
import { entity } from '../../support/requests/entity-requests.ts'
import { type Body, create, fact, payloads, read } from '../../support/requests/record-requests.ts'
import { insertEdges } from '../../support/stores/insert-edges.ts'
import {
  buildTexts,
  countItems,
  createLongFacts,
  longScope,
  readPages,
} from '../../support/stores/long-records.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const { append } = createConversationRequests(() => app)
const megabyte = 1_024 ** 2
const buildAliases = (word: string) =>
  Array.from({ length: 8_500 }, (_, place) => `${word}${place}`.padEnd(1_000, 'x'))

describe('a task whose state of megabytes is changed again and again', () => {
  it('has its long changes only in the pages of its log, which are limited', async () => {
    const { id } = await create(app, { type: 'working', payload: payloads.working })
    for (const word of ['a', 'b']) {
      const body = { payload: { next_actions: buildTexts(word) } }
      const { text } = await app.request('PATCH', `/v1/records/${id}`, { body })
      expect(text.length).toBeLessThan(9 * megabyte)
    }
    await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['short'] } })
    const { audit_log: log, version } = await read(app, id)
    expect([version, log.map(({ action }: Body) => action)]).toEqual([4, ['create', 'revise']])
    const pages = await readPages(app, `/v1/records/${id}/audit?limit=50`)
    const actions = pages.map(({ items }) => items.map(({ action }) => action))
    expect(actions).toEqual([['create', 'revise', 'revise'], ['revise']])
  })
})

let orion: string
let facts: string[]
beforeAll(async () => {
  orion = (await create(app, entity('Orion'))).id
  const relations = [{ predicate: 'mentions_entity', target_id: orion }]
  // The answer of a question has room for three.
  facts = await createLongFacts(app, { relations }, ['one', 'two', 'three', 'four', 'five'])
})

describe('a question that finds records of megabytes', () => {
  it('gets the first of them, and those that fit', async () => {
    const filters = { scopes: [longScope], record_access: false }
    for (const max_hops of [0, 1]) {
      const body = { task_descriptor: 'zebra', max_hops, ...filters }
      const { body: answer } = await app.request('POST', '/v1/retrieve', { body })
      const found = (answer as Body).nodes.filter(({ record }: Body) => record.type === 'semantic')
      expect([found.length > 0, found.length < facts.length]).toEqual([true, true])
    }
    const body = { task_descriptor: 'zebra', ...filters }
    const { body: context } = await app.request('POST', '/v1/context', { body })
    expect((context as Body).items.length).toBeGreaterThan(0)
  })
})

describe('an answer about many records', () => {
  it('has a record of megabytes that is named in many spellings no more often than fits', async () => {
    const payload = { ...payloads.semantic, subject: 'spelled', object: buildTexts('s') }
    const { id } = await create(app, fact({ scope: 'spelled', payload }))
    const letters = [...id.matchAll(/[a-f]/g)].slice(0, 5).map(({ index }) => index)
    const ids = Array.from({ length: 2 ** letters.length }, (_, bits) =>
      [...(id as string)].map((char, at) => (bits & (1 << letters.indexOf(at)) ? char.toUpperCase() : char)),
    ).map((chars) => chars.join(''))
    const body = { ids: [...new Set(ids)], actor: 'a', rationale: 'r' }
    const { status, text } = await app.request('POST', '/v1/records/reinforce', { body })
    expect(status).toBe(200)
    expect(text.length).toBeLessThan(17 * megabyte)
    const { results } = JSON.parse(text) as Body
    expect(results.map(({ record }: Body) => record.id)).toEqual(body.ids.map(() => id))
  })

  it('that forgets a conversation has the first messages, and the versions of the others', async () => {
    const stored: Body[] = []
    for (const name of ['one', 'two', 'three']) {
      const message = { id: name, role: 'user', content: name, metadata: { texts: buildTexts('m') } }
      stored.push(...((await append('heavy', [message])).body as Body).items)
    }
    const { text } = await app.request('DELETE', '/v1/conversations/heavy?actor=a&rationale=r')
    expect(text.length).toBeLessThan(17 * megabyte)
    const { results } = JSON.parse(text) as Body
    expect(results.map(({ id, status }: Body) => [id, status])).toEqual(
      stored.map(({ record_id: id }) => [id, 200]),
    )
    expect(results.slice(1).map(({ record }: Body) => record)).toEqual(
      stored.slice(1).map(({ record_id: id }) => ({ id, version: 2 })),
    )
  })
})

describe('the records about an entity, and entities of one name', () => {
  it('have pages of about 16 MiB', async () => {
    for (const word of ['a', 'b', 'c']) await create(app, entity('Vega', { aliases: buildAliases(word) }))
    expect(countItems(await readPages(app, `/v1/entities/${orion}/records?limit=50`))).toEqual([2, 2, 1])
    expect(countItems(await readPages(app, '/v1/entities?term=vega'))).toEqual([2, 1])
  })

  it('are in the order of what matches, and not read whole for it', async () => {
    const aliases = buildAliases('d')
    const names = {
      alias: ['Mira', { aliases: [...aliases, 'Lyra:1'] }],
      name: ['LYRA:1', { aliases }],
    } as const
    const identifiers = [{ namespace: 'lyra', value: '1' }]
    const ids: string[] = []
    for (const [name, more] of [
      ...Object.values(names),
      ['Deneb', { identifiers, aliases: ['Lyra:1', ...aliases] }],
    ] as const) {
      ids.push((await create(app, entity(name, more))).id)
      // Equal matches are in the order of their creation.
      app.clock.advance(1)
    }
    const order = async (term: string) =>
      (await readPages(app, `/v1/entities?term=${term}`)).flatMap(({ items }) => items.map(({ id }) => id))
    const [alias, name, identifier] = ids
    expect([await order('Lyra:1'), await order('lyra:1')]).toEqual([
      [name, alias, identifier],
      [identifier, name, alias],
    ])
    const lookup = { ...nameHandle('lyra:1'), term: 'lyra:1', scope: undefined, trust: fullTrust }
    const found = await findEntitiesByName(app.db, lookup, 10)
    expect(found).toHaveLength(3)
    expect(JSON.stringify(found).length).toBeLessThan(2_000)
  })
})

describe('the messages of a conversation', () => {
  it('have pages of about 16 MiB', async () => {
    for (const word of ['a', 'b', 'c']) {
      const messages = buildTexts(word).map((content) => ({ role: 'user', content }))
      expect((await append('long', messages)).status).toBe(201)
    }
    const pages = await readPages(app, '/v1/conversations/long/messages?limit=500')
    const texts = pages.flatMap(({ items }) => items.map(({ content }) => content[0])).join('')
    expect(pages.length).toBe(2)
    expect(texts).toBe('a'.repeat(90) + 'b'.repeat(90) + 'c'.repeat(90))
  })
})

describe('a list of entities with hundreds of edges', () => {
  const trust = { scopes: ['hubs'], max_sensitivity: 'low' }
  const predicate = 'p'.repeat(120)

  it('has pages of about 16 MiB, in which hidden edges count nothing', async () => {
    const createHubs = async (sensitivity: string) => {
      const names = Array.from({ length: 200 }, (_, place) => `${sensitivity} ${place}`)
      const records = names.map((name) => entity(name, {}, { scope: 'hubs', sensitivity }))
      const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
      return (body as Body).results.map(({ record }: Body) => record.id) as string[]
    }
    const seen = await createHubs('low')
    const hidden = await createHubs('hyper')
    const pairs = seen.flatMap((one) => hidden.map((other) => [one, other] as const))
    await insertEdges(app, [predicate, `${predicate}_by`], pairs)
    const key = await app.issueKey(['records:read'], trust)
    const path = '/v1/records?sort=created_at&type=entity&scope=hubs&limit=500'
    expect(countItems(await readPages(app, path, key))).toEqual([200])
    const pages = await readPages(app, path)
    const ids = pages.flatMap(({ items }) => items.map(({ id }) => id))
    expect([pages.length, ids.length, new Set(ids).size]).toEqual([2, 400, 400])
  })
})
