import { type BaseStore, InMemoryStore } from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { countRuns } from '../../../test/support/long-run.ts'
import { MembraneStore } from '../src/langgraph.ts'
import { startService } from './support/service.ts'

const service = await startService()
afterAll(() => service.close())

let made = 0
const createStore = () => new MembraneStore(service.client, { scope: `store-${made++}` })

const label = fc.constantFrom('users', 'ada', 'eve', 'docs', 'v1')
const namespace = fc.array(label, { minLength: 1, maxLength: 3 })
const key = fc.constantFrom('a', 'b', 'a.b/c:d', 'clé 漢字', 'x'.repeat(300))
const scalar = fc.constantFrom(1, 2, 2.5, -1, '1', 'two', '', true, null)
const value = fc.record(
  {
    rank: scalar,
    kind: scalar,
    nested: fc.record({ list: fc.array(scalar, { maxLength: 2 }), deep: fc.constant({ x: [] }) }),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const comparison = fc.oneof(
  scalar,
  fc.record(Object.fromEntries(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'].map((name) => [name, scalar])), {
    requiredKeys: [],
    noNullPrototype: true,
  }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
)
const filter = fc.record(
  { rank: comparison, kind: comparison, absent: comparison },
  { requiredKeys: [], noNullPrototype: true },
)
const pattern = fc.array(fc.oneof(label, fc.constant('*')), { maxLength: 2 })

type Step = (store: BaseStore) => Promise<unknown>

const withoutTimes = (item: object | null) => {
  if (!item) return null
  const { createdAt, updatedAt, ...rest } = item as { createdAt?: unknown; updatedAt?: unknown }
  expect(createdAt).toBeInstanceOf(Date)
  expect(updatedAt).toBeInstanceOf(Date)
  return rest
}
/** The order of a search without a query is not part of the contract. */
const asSet = (items: readonly object[]) =>
  items.map((item) => JSON.stringify(sortKeys(withoutTimes(item)))).sort()
const sortKeys = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortKeys(Reflect.get(value, name))]),
  )
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(namespace, key, value).map(
      ([at, name, put]): Step =>
        (store) =>
          store.put(at, name, put),
    ),
  },
  fc.tuple(namespace, key).map(
    ([at, name]): Step =>
      (store) =>
        store.delete(at, name),
  ),
  fc.tuple(namespace, key).map(
    ([at, name]): Step =>
      async (store) =>
        withoutTimes(await store.get(at, name)),
  ),
  fc.tuple(fc.array(label, { maxLength: 2 }), filter).map(
    ([prefix, wanted]): Step =>
      async (store) =>
        asSet(await store.search(prefix, { filter: wanted, limit: 50 })),
  ),
  fc
    .record(
      {
        prefix: pattern,
        suffix: pattern,
        maxDepth: fc.integer({ min: 1, max: 3 }),
        limit: fc.integer({ min: 1, max: 4 }),
        offset: fc.integer({ min: 0, max: 2 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map(
      (options): Step =>
        (store) =>
          store.listNamespaces(options),
    ),
)

describe('the store', () => {
  it('does what the store in memory of the package does', async () => {
    const check = async (steps: Step[]) => {
      const store = createStore()
      const reference = createReference()
      for (const each of steps) expect(await each(store)).toEqual(await each(reference))
    }
    const steps = fc.array(step, { minLength: 1, maxLength: 15 })
    await fc.assert(fc.asyncProperty(steps, check), { numRuns: countRuns(150) })
  }, 120_000)
})

/** The store of the package also lists namespaces that are empty again; nothing can be found in them. */
function createReference(): BaseStore {
  const store = new InMemoryStore()
  const data: Map<string, Map<string, unknown>> = Reflect.get(store, 'data')
  const remove = store.delete.bind(store)
  return Object.assign(store, {
    async delete(at: string[], name: string) {
      await remove(at, name)
      for (const [known, items] of data) if (items.size === 0) data.delete(known)
    },
  })
}
