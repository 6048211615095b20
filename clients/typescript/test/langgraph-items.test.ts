import { AsyncBatchedStore, InvalidNamespaceError } from '@langchain/langgraph-checkpoint'
import { afterAll, describe, expect, it } from 'vitest'
import { MembraneStore } from '../src/langgraph.ts'
import { startService } from './support/service.ts'

const service = await startService()
afterAll(() => service.close())

let made = 0
const createStore = () => new MembraneStore(service.client, { scope: `store-${made++}` })

const memories = ['users', 'ada', 'memories']

describe('an item', () => {
  it('keeps when it was first put, and when it was put last', async () => {
    const store = createStore()
    await store.put(memories, 'drink', { text: 'tea' })
    const first = await store.get(memories, 'drink')
    service.clock.advance(60_000)
    await store.put(memories, 'drink', { text: 'coffee' })
    service.clock.advance(60_000)
    await store.put(memories, 'drink', { text: 'water' })
    const last = await store.get(memories, 'drink')
    expect(last).toMatchObject({ namespace: memories, key: 'drink', value: { text: 'water' } })
    expect(last?.createdAt).toEqual(first?.createdAt)
    expect(Number(last?.updatedAt) - Number(first?.updatedAt)).toBe(120_000)
  })

  it('is a fact whose earlier values are superseded, and that a deletion retracts', async () => {
    const scope = `store-${made++}`
    const store = new MembraneStore(service.client, { scope, actor: 'graph', lifecycle: { pinned: true } })
    await store.put(memories, 'drink', { text: 'tea' })
    await store.put(memories, 'drink', { text: 'coffee' })
    await store.delete(memories, 'drink')
    await store.delete(memories, 'drink')
    expect(await store.get(memories, 'drink')).toBeNull()
    const { items } = await service.client.listRecords({ query: { scope } })
    const states = items.map((each) => ('status' in each ? [each.status, each.payload] : []))
    const payload = { subject: 'users.ada.memories', predicate: 'drink' }
    expect(states).toEqual(
      expect.arrayContaining([
        ['superseded', expect.objectContaining({ ...payload, object: { text: 'tea' } })],
        ['invalidated', expect.objectContaining({ ...payload, object: { text: 'coffee' } })],
      ]),
    )
  })

  it('gets the last of racing values, and each of them is in its history', async () => {
    const scope = `store-${made++}`
    const store = new MembraneStore(service.client, { scope })
    const puts = Array.from({ length: 6 }, (_, nth) => store.put(['race'], 'one', { nth }))
    await Promise.all(puts)
    const { items } = await service.client.listRecords({ query: { scope } })
    expect(items).toHaveLength(6)
    expect(items.filter((each) => 'status' in each && each.status === 'active')).toHaveLength(1)
    expect(await store.search(['race'])).toHaveLength(1)
  })

  it('is found by no store of another scope', async () => {
    await createStore().put(memories, 'drink', { text: 'tea' })
    const other = createStore()
    expect(await other.get(memories, 'drink')).toBeNull()
    expect([await other.search([]), await other.listNamespaces()]).toEqual([[], []])
  })
})

describe('a search', () => {
  it('ranks by a query, and fills up with what it did not find', async () => {
    const store = createStore()
    await store.put(['docs'], 'ferry', { text: 'The ferry to Gotland leaves at seven.' })
    await store.put(['docs'], 'bread', { text: 'Rye bread needs a day.' })
    await store.put(['docs'], 'hidden', { text: 'Another ferry, never to be found by words.' }, false)
    await store.put(['other'], 'ferry', { text: 'A ferry of another namespace.' })
    const found = await store.search(['docs'], { query: 'When does the ferry leave?' })
    expect(found.map(({ key }) => key)).toEqual(['ferry', ...['bread', 'hidden'].sort(byNewest(found))])
    expect(found[0]?.score).toBeGreaterThan(0)
    expect(found.find(({ key }) => key === 'hidden')?.score).toBeUndefined()
    const filtered = await store.search(['docs'], {
      query: 'ferry',
      filter: { text: { $ne: 'x' } },
      limit: 1,
      offset: 1,
    })
    expect(filtered).toHaveLength(1)
    expect(filtered[0]?.key).not.toBe('ferry')
  })

  it('is complete over more items than a page of the service, page after page', async () => {
    const store = createStore()
    const count = 102
    await store.batch(
      Array.from({ length: count }, (_, nth) => ({
        namespace: ['many', nth % 2 === 0 ? 'even' : 'odd'],
        key: `k${nth}`,
        value: { nth },
      })),
    )
    const seen: string[] = []
    for (let offset = 0; offset < count; offset += 51) {
      const page = await store.search(['many'], { limit: 51, offset })
      seen.push(...page.map(({ key }) => key))
    }
    expect(new Set(seen).size).toBe(count)
    expect(await store.search(['many', 'odd'], { limit: 500 })).toHaveLength(count / 2)
    expect(await store.listNamespaces()).toEqual([
      ['many', 'even'],
      ['many', 'odd'],
    ])
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([['many']])
  })
})

/** Of items that were put at the same moment, in the order in which the search answers them. */
function byNewest(found: readonly { key: string }[]) {
  const order = found.map(({ key }) => key)
  return (one: string, other: string) => order.indexOf(one) - order.indexOf(other)
}

describe('a batch', () => {
  it('reads before it writes, and keeps the last of several values', async () => {
    const store = createStore()
    await store.put(['batch'], 'a', { nth: 0 })
    const results = await store.batch([
      { namespace: ['batch'], key: 'a' },
      { namespace: ['batch'], key: 'a', value: { nth: 1 } },
      { namespace: ['batch'], key: 'a', value: { nth: 2 } },
      { namespacePrefix: ['batch'] },
      { limit: 10, offset: 0 },
    ])
    expect(results).toMatchObject([
      { value: { nth: 0 } },
      undefined,
      undefined,
      [{ value: { nth: 0 } }],
      [['batch']],
    ])
    expect((await store.get(['batch'], 'a'))?.value).toEqual({ nth: 2 })
  })

  it('of a graph arrives through the batching store of the package', async () => {
    const batched = new AsyncBatchedStore(createStore())
    batched.start()
    await Promise.all([batched.put(['graph'], 'a', { nth: 1 }), batched.put(['graph'], 'b', { nth: 2 })])
    const [one, all] = await Promise.all([batched.get(['graph'], 'a'), batched.search(['graph'])])
    expect([one?.value, all.length]).toEqual([{ nth: 1 }, 2])
    await batched.delete(['graph'], 'a')
    expect(await batched.get(['graph'], 'a')).toBeNull()
    await batched.stop()
  })

  it('refuses the namespaces that the package refuses', async () => {
    const store = createStore()
    for (const at of [[], ['a.b'], [''], ['langgraph', 'a'], ['a:b']]) {
      await expect(store.put(at, 'key', {}), at.join()).rejects.toBeInstanceOf(InvalidNamespaceError)
    }
    const batch = store.batch([{ namespace: ['a.b'], key: 'key', value: {} }])
    await expect(batch).rejects.toBeInstanceOf(InvalidNamespaceError)
  })
})
