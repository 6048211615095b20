import { toWords } from '../../parts/numbers.js'
import { clip, toText, writeValue } from '../../parts/record-text.js'
import { toPath } from '../../router.js'
import { getName, isReadable } from './merging.js'

/** @import { EntityRecord, MemoryRecord, SeenRecord } from '../../api/types.d.ts' */
/** @import { KnownRecords } from '../../parts/use-records.js' */
/** @import { Edge, Node } from '../../plots/force-graph.js' */

const maxNeighbours = 12
/** Values of facts fill the picture up to here; more would cover each other. */
const maxNodes = 13
const references = ['subject_entity', 'object_entity', 'mentions_entity']

/**
 * The entities that records share with this one, those with the most records first.
 * @param {string} id
 * @param {readonly SeenRecord[]} records
 */
export function listNeighbours(id, records) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const other of records.filter(isReadable).flatMap((record) => listOthers(id, record)))
    counts.set(other, (counts.get(other) ?? 0) + 1)
  const ids = [...counts].sort(([, one], [, other]) => other - one).map(([other]) => other)
  return ids.slice(0, maxNeighbours)
}

/** @param {string} id @param {MemoryRecord} record */
function listOthers(id, { relations }) {
  const targets = relations
    .filter(({ predicate, target_id: target }) => references.includes(predicate) && target !== id)
    .map(({ target_id: target }) => target)
  return [...new Set(targets)]
}

/**
 * Connects the entity with the others by their facts, and with the values of facts that lead to no entity.
 * @param {EntityRecord} entity
 * @param {readonly SeenRecord[]} records
 * @param {KnownRecords} known
 * @returns {{ nodes: readonly Node[], edges: readonly Edge[] }}
 */
export function createGraph(entity, records, known) {
  const { id } = entity
  const readable = records.filter(isReadable)
  const connections = readable.flatMap((record) =>
    listOthers(id, record)
      .flatMap((other) => known.get(other) ?? [])
      .map((other) => connect(id, record, createNode(other))),
  )
  const values = readable
    .filter((record) => listOthers(id, record).length === 0)
    .flatMap((record) => createFactValue(record).map((node) => connect(id, record, node)))
  const shown = [...connections, ...values.slice(0, Math.max(0, maxNodes - 1 - known.size))]
  const centre = { id, label: getName(entity), href: toPath(['entities', id]), isCentre: true }
  const nodes = new Map([[id, centre], ...shown.map(({ node }) => /** @type {const} */ ([node.id, node]))])
  const edges = new Map(shown.map(({ edge }) => [JSON.stringify(edge), edge]))
  return { nodes: [...nodes.values()], edges: [...edges.values()] }
}

/** @param {SeenRecord} neighbour @returns {Node} */
function createNode(neighbour) {
  const label = isReadable(neighbour) ? getName(neighbour) : toText(neighbour)
  return { id: neighbour.id, label, href: toPath(['entities', neighbour.id]) }
}

/** @param {MemoryRecord} record @returns {readonly Node[]} */
function createFactValue({ id, payload }) {
  if (payload.kind !== 'semantic') return []
  return [{ id, label: clip(writeValue(payload.object), 60), href: toPath(['records', id]) }]
}

/** A fact leads from its subject to its object. @param {string} id @param {MemoryRecord} record @param {Node} node */
function connect(id, { payload, relations }, node) {
  const isObject = relations.some(
    ({ predicate, target_id: target }) => predicate === 'object_entity' && target === id,
  )
  const label = clip(payload.kind === 'semantic' ? toWords(payload.predicate) : 'mentioned with', 40)
  const [from, to] = isObject ? [node.id, id] : [id, node.id]
  return { node, edge: { from, to, label } }
}
