import { truncate } from '../../../kernel/truncated-text.ts'
import { asFields, type Fields, listOf, readTime, readWord, requireText } from '../fields.ts'
import { createEntityPayload, createNotePayload } from '../item-forms.ts'
import type { Item, Reader } from '../items.ts'
import { readParts } from '../part-reading.ts'

const edgeLists: ReadonlySet<string> = new Set(['edges', 'facts', 'entity_edges'])
const lists: ReadonlySet<string> = new Set([...edgeLists, 'episodes', 'nodes', 'entities'])
/** Names of nodes that are kept for the edges after them. */
const maxNames = 100_000
const maxTagLength = 256

/** Episodes, nodes and edges, as a dump of the graph has them. */
export const readGraphiti: Reader = (file) => {
  const names = new Map<string, string>()
  return readParts(file, lists, (value, line, list) => {
    const fields = asFields(value)
    if (edgeLists.has(list)) return [readEdge(fields, line, names)]
    return [
      list === 'episodes' || isEpisode(fields) ? readEpisode(fields, line) : readNode(fields, line, names),
    ]
  })
}

function isEpisode(fields: Fields): boolean {
  return listOf(fields, 'labels').includes('Episodic')
}

function readNode(fields: Fields, line: number, names: Map<string, string>): Item {
  const source = requireText(fields, 'uuid', 'id')
  const name = requireText(fields, 'name')
  if (names.size < maxNames) names.set(source, name)
  const type = listOf(fields, 'labels').find((label) => typeof label === 'string' && label !== 'Entity')
  const payload = createEntityPayload(
    name,
    typeof type === 'string' ? type : undefined,
    readWord(fields, 'summary'),
  )
  return {
    line,
    source,
    record: { type: 'entity', payload },
    createdAt: readTime(fields, 'created_at'),
  }
}

function readEpisode(fields: Fields, line: number): Item {
  const source = requireText(fields, 'uuid', 'id')
  const createdAt = readTime(fields, 'created_at')
  const happenedAt = readTime(fields, 'valid_at') ?? createdAt
  const t = happenedAt ?? requireText(fields, 'valid_at')
  const event = { t, event_kind: readWord(fields, 'source') ?? 'episode', ref: `graphiti:${source}` }
  const timeline = [{ ...event, summary: requireText(fields, 'content') }]
  return {
    line,
    source,
    happenedAt,
    record: { type: 'episodic', payload: { kind: 'episodic', timeline } },
    createdAt,
  }
}

/**
 * The text of an edge is a sentence about its source node, so its name is a tag and not the predicate: two edges of one name
 * would be taken for contradicting facts, and Graphiti ends an edge itself when another contradicts it.
 */
function readEdge(fields: Fields, line: number, names: ReadonlyMap<string, string>): Item {
  const from = readWord(fields, 'source_node_uuid')
  const to = readWord(fields, 'target_node_uuid')
  const start = readTime(fields, 'valid_at')
  const end = readTime(fields, 'invalid_at')
  const subject = (from === undefined ? undefined : names.get(from)) ?? from ?? 'graphiti'
  const name = readWord(fields, 'name')
  const episodes = listOf(fields, 'episodes').filter((each) => typeof each === 'string')
  return {
    line,
    source: requireText(fields, 'uuid', 'id'),
    happenedAt: start,
    record: {
      type: 'semantic',
      payload: createNotePayload(subject, requireText(fields, 'fact'), { start, end }),
      ...(name === undefined ? {} : { tags: [truncate(name, maxTagLength)] }),
    },
    createdAt: readTime(fields, 'created_at'),
    links: [
      ...(from === undefined ? [] : [{ predicate: 'subject_entity', to: from }]),
      ...(to === undefined ? [] : [{ predicate: 'object_entity', to }]),
      ...episodes.map((episode) => ({ predicate: 'references_record', to: episode })),
    ],
    ended: readTime(fields, 'expired_at') === undefined ? undefined : 'invalidated',
  }
}
