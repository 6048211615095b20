import { isJsonObject } from '../../../kernel/json-objects.ts'
import { truncate } from '../../../kernel/truncated-text.ts'
import { type ItemReading, readMembers } from '../archive/member-reading.ts'
import {
  asFields,
  type Fields,
  listOf,
  readNumber,
  readTags,
  readTime,
  readWord,
  requireText,
} from '../fields.ts'
import { createEntityPayload, createNotePayload } from '../item-forms.ts'
import type { Item, Link, Reader } from '../items.ts'

const included = {
  isIncluded: (name: string) => /(?:^|\/)(?:documents\/[^/]+|observations)\.json$/.test(name),
  names: ['documents/*.json', 'observations.json'],
}

/** An archive of documents with facts, and of observations. The documents themselves are not kept. */
export const readHindsight: Reader = (file) =>
  readMembers(file, included, (name, bytes) => {
    const value = file.parse(bytes)
    return /observations\.json$/.test(name) ? readObservations(value) : readDocument(value)
  })

function readDocument(value: unknown): ItemReading[] {
  const fields = asFields(value)
  const document = requireText(fields, 'id')
  return listOf(fields, 'facts').map(
    (fact, index) => (line) =>
      readFact(asFields(fact, `facts/${index}`), formatFactId(document, index), line, document),
  )
}

function formatFactId(document: string, index: number): string {
  return `${document}#${index}`
}

function readFact(fields: Fields, source: string, line: number, document: string): Item[] {
  const entities = listOf(fields, 'entities').flatMap((each) =>
    typeof each === 'string' && each.trim() !== '' ? [each] : [],
  )
  const happenedAt =
    readTime(fields, 'occurred_start') ?? readTime(fields, 'event_date') ?? readTime(fields, 'mentioned_at')
  const payload = createNotePayload(entities[0] ?? 'hindsight', requireText(fields, 'text'))
  const mentions = [...new Set(entities)]
  return [
    ...mentions.map(
      (name): Item => ({
        line,
        source: `entity:${name}`,
        isMention: true,
        record: { type: 'entity', payload: createEntityPayload(name, undefined) },
      }),
    ),
    {
      line,
      source,
      happenedAt,
      record: { type: 'semantic', payload, ...readTags(fields, 'tags') },
      createdAt: readTime(fields, 'created_at'),
      links: [
        ...mentions.map((name) => ({ predicate: 'mentions_entity', to: `entity:${name}` })),
        ...listOf(fields, 'causal_relations').flatMap((each) => readCause(each, document)),
      ],
    },
  ]
}

function readCause(value: unknown, document: string): Link[] {
  if (!isJsonObject(value)) return []
  const index = readNumber(value, 'target_fact_index')
  if (index === undefined) return []
  const predicate = readWord(value, 'relation_type') === 'causes' ? 'causes' : 'caused_by'
  return [{ predicate, to: formatFactId(document, index) }]
}

function readObservations(value: unknown): ItemReading[] {
  const list = Array.isArray(value) ? value : listOf(asFields(value), 'observations')
  return list.map((each, index) => (line) => [readObservation(asFields(each, `observations/${index}`), line)])
}

/** An observation has no id, so it is known by its text. */
function readObservation(fields: Fields, line: number): Item {
  const text = requireText(fields, 'text')
  const payload = createNotePayload('hindsight', text)
  const links = listOf(fields, 'sources').flatMap((each): Link[] => {
    if (!isJsonObject(each)) return []
    const document = readWord(each, 'document_id')
    const index = readNumber(each, 'fact_index')
    if (document === undefined || index === undefined) return []
    return [{ predicate: 'references_record', to: formatFactId(document, index) }]
  })
  const source = `observation:${text}`
  const ref = `hindsight:observation:${truncate(text, 200)}`
  const record = { type: 'semantic' as const, payload, ...readTags(fields, 'tags') }
  return { line, source, ref, record, links, createdAt: readTime(fields, 'created_at') }
}
