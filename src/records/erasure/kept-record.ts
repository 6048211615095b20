import { isDeepStrictEqual } from 'node:util'
import { listHandles } from '../../domain/identity/handles.ts'
import { formatIdentifier } from '../../domain/payloads/distinct-identifiers.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import { writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { normaliseName } from '../../domain/words/names.ts'
import { extractWords } from '../../domain/words/word-extraction.ts'
import { listIdentifiers } from '../creation/record-draft.ts'
import { parseRecordReference } from '../descent/descents.ts'
import type { ContentRow, StoredRecord } from '../stored-record.ts'
import type { Derivation } from './erased-ids.ts'
import type { KeptRecordUpdate } from './erasure.queries.ts'
import { removePlanWords, removeSignals, type SourceContents } from './kept-practice.ts'

/** The new content of a kept record after one of its sources is erased. */

/** The changed members only. A tag or a name is removed if an erased source had it and no remaining source has it. */
export function removeErasedSources(
  stored: ContentRow,
  ids: ReadonlySet<string>,
  sources: SourceContents,
): Partial<ContentRow> {
  const { erased, remaining, replaced } = sources
  const lostTags = findLost(({ tags }) => tags, [...erased, ...replaced], remaining)
  const content = {
    tags: stored.tags.filter((tag) => !lostTags.has(tag)),
    provenance: removeSources(stored.provenance, ids, sources),
    payload: removeWords(stored.payload, ids, sources),
  }
  const changed = Object.entries(content).filter(
    ([name, value]) => !isDeepStrictEqual(value, stored[name as keyof typeof content]),
  )
  return Object.fromEntries(changed)
}

/** A record must have a source, so a record without any source left gets the source `erased`. */
function removeSources(
  { created_by: author, ...provenance }: ContentRow['provenance'],
  ids: ReadonlySet<string>,
  { merged, creators, remaining }: SourceContents,
) {
  const lost = findLost(listSources, merged, remaining)
  const sources = provenance.sources.filter(
    (source) => !isReferenceTo(source.ref, ids) && !lost.has(formatSource(source)),
  )
  const isLostAuthor = author !== undefined && findLost(listAuthors, creators, remaining).has(author)
  return {
    ...provenance,
    ...(author === undefined || isLostAuthor ? {} : { created_by: author }),
    sources: sources.length > 0 ? sources : [{ kind: 'event' as const, ref: 'erased' }],
  }
}

type Source = ContentRow['provenance']['sources'][number]

/** Two sources with these members in common are the same evidence. */
function formatSource({ kind, ref, hash }: Source): string {
  return JSON.stringify([kind, ref, hash])
}

function listSources({ provenance }: ContentRow): string[] {
  return provenance.sources.map(formatSource)
}

function listAuthors({ provenance: { created_by: author } }: ContentRow): string[] {
  return author === undefined ? [] : [author]
}

type Entity = Extract<Payload, { kind: 'entity' }>

function removeWords(
  payload: Payload,
  ids: ReadonlySet<string>,
  { erased, remaining, creators, merged }: SourceContents,
): Payload {
  if (payload.kind === 'semantic') {
    return { ...payload, evidence: payload.evidence.filter(({ source_id: id }) => !isReferenceTo(id, ids)) }
  }
  if (payload.kind === 'competence') return removeSignals(payload, { erased, remaining })
  if (payload.kind === 'plan_graph') return removePlanWords(payload, { erased, remaining })
  if (payload.kind !== 'entity') return payload
  const lostNames = findLost(listNames, erased, remaining)
  const lostIdentifiers = findLost(listIdentifierKeys, erased, remaining)
  const lostTypes = findLost(listTypes, merged, remaining)
  const { summary, ...entity } = payload
  const isLost =
    summary !== undefined &&
    erased.some((each) => readSummary(each) === summary) &&
    !remaining.some((each) => readSummary(each) === summary)
  const kept = {
    ...entity,
    ...(summary === undefined || isLost ? {} : { summary }),
    types: entity.types.filter((type) => type === entity.primary_type || !lostTypes.has(type)),
    aliases: entity.aliases.filter(({ value }) => !lostNames.has(normaliseName(value))),
    identifiers: entity.identifiers.filter((each) => !lostIdentifiers.has(formatIdentifier(each))),
  }
  return rename(kept, findLost(listNames, creators, remaining))
}

/** The words of `from` that none of the remaining sources has. */
function findLost(
  wordsOf: (record: ContentRow) => readonly string[],
  from: readonly ContentRow[],
  remaining: readonly ContentRow[],
): Set<string> {
  const others = new Set(remaining.flatMap(wordsOf))
  return new Set(from.flatMap(wordsOf).filter((word) => !others.has(word)))
}

/** An entity whose name came from an erased capture alone gets the first name that it has left. */
function rename(entity: Entity, lostNames: ReadonlySet<string>): Entity {
  const [next, ...aliases] = entity.aliases
  if (next === undefined || !lostNames.has(normaliseName(entity.canonical_name))) return entity
  return { ...entity, canonical_name: next.value, aliases }
}

/** The names of an entity, and the names that evidence gives to the entities it mentions. */
function listNames({ payload, interpretation }: ContentRow): string[] {
  const own =
    payload.kind === 'entity' ? [payload.canonical_name, ...payload.aliases.map(({ value }) => value)] : []
  const mentioned = (interpretation?.mentions ?? []).flatMap(({ surface, aliases }) => [
    surface,
    ...(aliases ?? []),
  ])
  return [...own, ...mentioned].map(normaliseName)
}

function listTypes({ payload }: ContentRow): string[] {
  return payload.kind === 'entity' ? [payload.primary_type, ...payload.types] : []
}

function listIdentifierKeys({ payload }: ContentRow): string[] {
  return payload.kind === 'entity' ? payload.identifiers.map(formatIdentifier) : []
}

function readSummary({ payload }: ContentRow): string | undefined {
  return payload.kind === 'entity' ? payload.summary : undefined
}

function isReferenceTo(ref: string, ids: ReadonlySet<string>): boolean {
  return ids.has(parseRecordReference(ref) ?? '') || ids.has(ref.slice(-36).toLowerCase())
}

/** Records that were derived in these ways copied tags, names or a summary of their sources. */
export function copiesWords(kind: Derivation['kind']): boolean {
  return (
    isReplacing(kind) ||
    ['capture', 'mention', 'consolidation', 'dream', 'merge', 'fold', 'inherited'].includes(kind)
  )
}

/** The payload of a successor or a fork is its own, but its tags can be those of its source. */
function isReplacing(kind: Derivation['kind']): boolean {
  return kind === 'supersede' || kind === 'fork'
}

/** The contents of the sources of one record, divided into erased and remaining ones. */
export function collectSourceContents(
  id: string,
  copies: readonly Derivation[],
  erasedIds: ReadonlySet<string>,
  byId: ReadonlyMap<string, ContentRow>,
): SourceContents {
  const own = copies.filter(({ derived }) => derived === id)
  const erased = own.filter(({ source }) => erasedIds.has(source))
  const pickContents = (from: readonly Derivation[]) => from.flatMap(({ source }) => byId.get(source) ?? [])
  return {
    erased: pickContents(erased.filter(({ kind }) => !isReplacing(kind))),
    remaining: pickContents(own.filter(({ source }) => !erasedIds.has(source))),
    creators: pickContents(erased.filter(({ kind }) => kind === 'capture')),
    merged: pickContents(erased.filter(({ kind }) => kind === 'merge' || kind === 'fold')),
    replaced: pickContents(erased.filter(({ kind }) => isReplacing(kind))),
  }
}

/** The statement input for a kept record whose content changes from `stored` to `after`. */
export function draftKeptUpdate(stored: StoredRecord, after: StoredRecord): KeptRecordUpdate {
  const { id, scope, sensitivity, type, payload, tags, provenance, interpretation } = after
  const text = writeSearchableText(payload, tags)
  const { text: words, count } = extractWords(text)
  const keptHandles = new Set(listHandles(payload).map(({ digest }) => digest.toString('hex')))
  const lost = listHandles(stored.payload).filter(({ digest }) => !keptHandles.has(digest.toString('hex')))
  const keptIdentifiers = new Set(
    listIdentifiers(payload, { scope, sensitivity }).map((each) => JSON.stringify(each)),
  )
  return {
    id,
    content: { tags, payload, provenance, interpretation },
    search: { text: words, words: count, scope, type },
    digests: lost.map(({ digest }) => digest),
    identifiers: listIdentifiers(stored.payload, { scope, sensitivity }).filter(
      (each) => !keptIdentifiers.has(JSON.stringify(each)),
    ),
  }
}
