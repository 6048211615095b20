import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint'
import type { Client } from './client.ts'
import { findCommonPrefix, matchesCondition, matchesFilter } from './langgraph/filters.ts'
import { createItemTag, createNamespaceTag, draftItem, isIndexed, toItem } from './langgraph/items.ts'
import { createNamedRecords, type NamedOptions, type NamedRecords } from './named/named-records.ts'

export type MembraneStoreOptions = NamedOptions

const source = 'langgraph'
/** The most records that one retrieval ranks. */
const maxRanked = 100
/** In characters. */
const maxQuery = 10_000
/** The operations of a batch that run at the same time: a service limits the requests of a second. */
const maxAtOnce = 8

/** The long-term memory of LangGraph graphs. Each value that is put supersedes the one before it; what is deleted is retracted. */
export class MembraneStore extends BaseStore {
  readonly #records: NamedRecords

  constructor(client: Client, options: MembraneStoreOptions) {
    super()
    this.#records = createNamedRecords(client, source, options)
  }

  /** Reads see the store as it was before the writes of the same batch. Of several writes to one item the last counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    for (const operation of operations) {
      if ('namespace' in operation) validateNamespace(operation.namespace, { allowReservedRoot: true })
    }
    const results = await mapSome(operations, (operation) => this.#read(operation))
    const writes = new Map<string, PutOperation>()
    for (const operation of operations) {
      if ('value' in operation) writes.set(JSON.stringify([operation.namespace, operation.key]), operation)
    }
    await mapSome([...writes.values()], (operation) => this.#write(operation))
    return results as OperationResults<Op>
  }

  async #read(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.#search(operation)
    if ('value' in operation) return undefined
    return 'key' in operation ? this.#get(operation) : this.#listNamespaces(operation)
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const found = await this.#records.find(await createItemTag(namespace, key))
    return (found && toItem(found)) ?? null
  }

  async #write({ namespace, key, value, index }: PutOperation): Promise<void> {
    if (value === null) return this.#records.remove(await createItemTag(namespace, key))
    await this.#records.put(await draftItem({ namespace, key, value, isIndexed: index !== false }))
  }

  /** Without a query the newest come first. With one, what the service finds for it comes first, and then the others. */
  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, query, filter, limit = 10, offset = 0 } = operation
    const tag = await createNamespaceTag(namespacePrefix)
    const ranked = query ? await this.#rank(tag, query) : []
    const found = new Map<string, SearchItem>()
    const isEnough = () => found.size >= offset + limit
    const add = (item: SearchItem | undefined) => {
      if (!item || !matchesFilter(item.value, filter)) return
      const name = JSON.stringify([item.namespace, item.key])
      if (!found.has(name)) found.set(name, item)
    }
    ranked.forEach(add)
    if (!isEnough()) {
      for await (const record of this.#records.list(tag)) {
        add(toItem(record))
        if (isEnough()) break
      }
    }
    return [...found.values()].slice(offset, offset + limit)
  }

  async #rank(tag: string, query: string): Promise<SearchItem[]> {
    const found = await this.#records.retrieve(tag, query.slice(0, maxQuery), maxRanked)
    return found.flatMap(({ record, score }) => {
      const item = isIndexed(record) ? toItem(record) : undefined
      return item ? [{ ...item, score }] : []
    })
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const {
      matchConditions: conditions = [],
      maxDepth,
      limit = Number.POSITIVE_INFINITY,
      offset = 0,
    } = operation
    const tag = await createNamespaceTag(findCommonPrefix(conditions))
    const found = new Map<string, string[]>()
    for await (const record of this.#records.list(tag)) {
      const namespace = toItem(record)?.namespace ?? []
      if (!conditions.every((condition) => matchesCondition(namespace, condition))) continue
      const shown = namespace.slice(0, maxDepth)
      if (shown.length > 0) found.set(shown.join(':'), shown)
    }
    const sorted = [...found].sort(([one], [other]) => one.localeCompare(other))
    return sorted.map(([, namespace]) => namespace).slice(offset, offset + limit)
  }
}

async function mapSome<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const entries = items.entries()
  const takeNext = async () => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: maxAtOnce }, takeNext))
  return results
}
