import { isDeepStrictEqual } from 'node:util'
import { normaliseName } from '../../domain/names.ts'
import type { Payload } from '../../domain/payloads.ts'
import { parseRecordReference } from '../descents.ts'
import type { ContentRow } from '../stored-record.ts'

/** What a record says once something that it rested on is erased. */

/** Those of its sources whose words it took over: what goes with the erased ones, and what the others still say. */
export type SourceContents = { erased: readonly ContentRow[]; remaining: readonly ContentRow[] }

/** Only what changes. A tag or a name goes that an erased source had and no other source has. */
export function removeErasedSources(
  stored: ContentRow,
  ids: ReadonlySet<string>,
  { erased, remaining: left }: SourceContents,
): Partial<ContentRow> {
  const lost = (wordsOf: (record: ContentRow) => readonly string[]) => {
    const others = new Set(left.flatMap(wordsOf))
    return new Set(erased.flatMap(wordsOf).filter((word) => !others.has(word)))
  }
  const lostTags = lost(({ tags }) => tags)
  const content = {
    tags: stored.tags.filter((tag) => !lostTags.has(tag)),
    provenance: removeSources(stored.provenance, ids),
    payload: removeWords(stored.payload, ids, { erased, remaining: left }, lost(namesOf)),
  }
  const changed = Object.entries(content).filter(
    ([name, value]) => !isDeepStrictEqual(value, stored[name as keyof typeof content]),
  )
  return Object.fromEntries(changed)
}

/** A record must have a source, so one that loses its last is said to come from something erased. */
function removeSources(provenance: ContentRow['provenance'], ids: ReadonlySet<string>) {
  const sources = provenance.sources.filter(({ ref }) => !isReferenceTo(ref, ids))
  const left = sources.length > 0 ? sources : [{ kind: 'event' as const, ref: 'erased' }]
  return { ...provenance, sources: left }
}

function removeWords(
  payload: Payload,
  ids: ReadonlySet<string>,
  { erased, remaining: left }: SourceContents,
  lostNames: ReadonlySet<string>,
): Payload {
  if (payload.kind === 'semantic') {
    return { ...payload, evidence: payload.evidence.filter(({ source_id: id }) => !isReferenceTo(id, ids)) }
  }
  if (payload.kind !== 'entity') return payload
  const others = new Set(left.flatMap(identifierKeysOf))
  const lostMarks = new Set(erased.flatMap(identifierKeysOf).filter((mark) => !others.has(mark)))
  const { summary, ...entity } = payload
  const isLost =
    summary !== undefined &&
    erased.some((each) => summaryOf(each) === summary) &&
    !left.some((each) => summaryOf(each) === summary)
  return {
    ...entity,
    ...(summary === undefined || isLost ? {} : { summary }),
    aliases: entity.aliases.filter(({ value }) => !lostNames.has(normaliseName(value))),
    identifiers: entity.identifiers.filter((each) => !lostMarks.has(identifierKeyOf(each))),
  }
}

/** What an entity is called, and what evidence calls those it mentions. */
function namesOf({ payload, interpretation }: ContentRow): string[] {
  const own =
    payload.kind === 'entity' ? [payload.canonical_name, ...payload.aliases.map(({ value }) => value)] : []
  const mentioned = (interpretation?.mentions ?? []).flatMap(({ surface, aliases }) => [
    surface,
    ...(aliases ?? []),
  ])
  return [...own, ...mentioned].map(normaliseName)
}

function identifierKeysOf({ payload }: ContentRow): string[] {
  return payload.kind === 'entity' ? payload.identifiers.map(identifierKeyOf) : []
}

function identifierKeyOf({ namespace, value }: { namespace: string; value: string }): string {
  return JSON.stringify([namespace, value])
}

function summaryOf({ payload }: ContentRow): string | undefined {
  return payload.kind === 'entity' ? payload.summary : undefined
}

function isReferenceTo(ref: string, ids: ReadonlySet<string>): boolean {
  return ids.has(parseRecordReference(ref) ?? '') || ids.has(ref.slice(-36).toLowerCase())
}
