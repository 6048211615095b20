import type { Payload } from '../domain/payloads/payloads.ts'
import { maxTags } from '../domain/schemas/request-fields.ts'
import { normaliseName } from '../domain/words/names.ts'
import { type ContentRow, maxSources, type StoredRecord } from '../records/index.ts'

export type EntityPayload = Extract<Payload, { kind: 'entity' }>
export type StoredEntity = StoredRecord & { payload: EntityPayload }
export type MergedEntity = Pick<ContentRow, 'tags' | 'provenance'> & { payload: EntityPayload }

/**
 * The target with the names, types, identifiers, tags and sources of the duplicates. It keeps its own name and type. Items
 * beyond the limits of a record are left out; the merged entities, which stay readable, still have them.
 */
export function mergeEntities(target: StoredEntity, duplicates: readonly StoredEntity[]): MergedEntity {
  const all = [target, ...duplicates]
  const payloads = all.map(({ payload }) => payload)
  const { canonical_name: name, primary_type: primary } = target.payload
  const names = payloads.flatMap((each) => [{ value: each.canonical_name }, ...each.aliases])
  const types = payloads.flatMap((each) => [each.primary_type, ...each.types])
  const summary = payloads.find((each) => each.summary)?.summary
  return {
    payload: {
      ...target.payload,
      types: removeDuplicates(
        [...target.payload.types, ...types.filter((type) => type !== primary)],
        (type) => type,
      ),
      aliases: removeDuplicates(
        [...target.payload.aliases, ...names.filter(({ value }) => !isSameName(value, name))],
        ({ value }) => normaliseName(value),
      ),
      identifiers: removeDuplicates(
        payloads.flatMap((each) => each.identifiers),
        ({ namespace, value }) => JSON.stringify([namespace, value]),
      ),
      ...(summary === undefined ? {} : { summary }),
    },
    tags: removeDuplicates(
      all.flatMap(({ tags }) => tags),
      (tag) => tag,
    ).slice(0, maxTags),
    provenance: {
      ...target.provenance,
      sources: removeDuplicates(
        all.flatMap(({ provenance }) => provenance.sources),
        (source) => JSON.stringify(source),
      ).slice(0, maxSources),
    },
  }
}

function isSameName(one: string, other: string): boolean {
  return normaliseName(one) === normaliseName(other)
}

/** The first item of each key, in the given order. */
function removeDuplicates<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const byKey = new Map<string, T>()
  for (const item of items) {
    const key = keyOf(item)
    if (!byKey.has(key)) byKey.set(key, item)
  }
  return [...byKey.values()]
}
