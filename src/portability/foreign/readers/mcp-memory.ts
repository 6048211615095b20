import { graphRelationRef } from '../../../domain/identity/handles.ts'
import { asFields, createFieldError, type Fields, listOf, readWord, requireText } from '../fields.ts'
import { createEntityPayload, createFactPayload, createNotePayload } from '../item-forms.ts'
import { type Item, type Reader, type Reading, readItem } from '../items.ts'
import { readJsonLines, readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set(['entities', 'relations'])
const document = /^\s*\{\s*"(?:entities|relations)"\s*:/

/**
 * The `memory.jsonl` of the knowledge graph server, entities with observations and relations between them in lines, or the answer of its
 * tool `read_graph`, one document with two lists.
 */
export const readMcpMemory: Reader = (file) =>
  document.test(file.head.toString('utf8'))
    ? readParts(file, lists, (value, line, list) => readGraphItem(asFields(value), line, typeOf(list)))
    : readJsonLines(file, (value, line) => {
        const fields = asFields(value)
        return readGraphItem(fields, line, readWord(fields, 'type'))
      })

function typeOf(list: string): string {
  return list === 'entities' ? 'entity' : 'relation'
}

function readGraphItem(fields: Fields, line: number, type: string | undefined): readonly Reading[] {
  if (type === 'entity') return readEntity(fields, line)
  if (type === 'relation') return [readRelation(fields, line)]
  throw createFieldError('type', 'must be entity or relation')
}

/** The format has no ids, so an entity is known by its name and an observation by its text. */
function readEntity(fields: Fields, line: number): readonly Reading[] {
  const name = requireText(fields, 'name')
  const kind = readWord(fields, 'entityType')
  const observations = new Set(listOf(fields, 'observations'))
  return [
    {
      line,
      source: formatEntityId(name),
      record: { type: 'entity', payload: createEntityPayload(name, kind) },
    },
    ...[...observations].flatMap((each) => readItem(line, () => readObservation(each, name, line))),
  ]
}

/** A blank observation says nothing and is left out. */
function readObservation(observation: unknown, name: string, line: number): Item[] {
  const text = readWord({ observations: observation }, 'observations')
  if (text === undefined) return []
  return [
    {
      line,
      source: `observation:${JSON.stringify([name, text])}`,
      ref: `mcp-memory:${formatEntityId(name)}`,
      record: { type: 'semantic', payload: createNotePayload(name, text) },
      links: [{ predicate: 'subject_entity', to: formatEntityId(name) }],
    },
  ]
}

function readRelation(fields: Fields, line: number): Item {
  const from = requireText(fields, 'from')
  const to = requireText(fields, 'to')
  const predicate = requireText(fields, 'relationType')
  const relation = JSON.stringify([from, predicate, to])
  return {
    line,
    source: `relation:${relation}`,
    ref: `${graphRelationRef}${relation}`,
    record: { type: 'semantic', payload: createFactPayload({ subject: from, predicate, object: to }) },
    links: [
      { predicate: 'subject_entity', to: formatEntityId(from) },
      { predicate: 'object_entity', to: formatEntityId(to) },
    ],
  }
}

function formatEntityId(name: string): string {
  return `entity:${name}`
}
