import type { Item } from '@langchain/langgraph-checkpoint'
import { computeDigest } from '../named/digest.ts'
import type { Draft, Named } from '../named/named-records.ts'

/**
 * An item is a fact: its subject is the namespace, its predicate the key, its object the value. Tags are digests: labels and
 * keys may be longer than a tag, and would count as words of the item in a search.
 */

const separator = '.'
/** Of items that are not to be found by a query. */
const unindexed = 'langgraph:unindexed'

export async function createItemTag(namespace: readonly string[], key: string): Promise<string> {
  return `langgraph:item:${await computeDigest(namespace, key)}`
}

/** Marks the items of the namespace and of all beneath it. */
export async function createNamespaceTag(namespace: readonly string[]): Promise<string> {
  return `langgraph:namespace:${await computeDigest(namespace)}`
}

type Content = { namespace: readonly string[]; key: string; value: unknown; isIndexed: boolean }

export async function draftItem({ namespace, key, value, isIndexed }: Content): Promise<Draft> {
  const prefixes = [[], ...namespace.map((_, index) => namespace.slice(0, index + 1))]
  const tags = await Promise.all(prefixes.map(createNamespaceTag))
  return {
    tags: [await createItemTag(namespace, key), ...tags, ...(isIndexed ? [] : [unindexed])],
    subject: namespace.join(separator),
    predicate: key,
    object: value,
  }
}

export function toItem({ subject, predicate, object, since, created_at }: Named): Item | undefined {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined
  return {
    namespace: subject.split(separator),
    key: predicate,
    value: { ...object },
    createdAt: new Date(since),
    updatedAt: new Date(created_at),
  }
}

export function isIndexed({ tags }: Pick<Named, 'tags'>): boolean {
  return !tags.includes(unindexed)
}
