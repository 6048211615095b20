import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { Panel } from '../../parts/panel.js'
import { showLoaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { useRecords } from '../../parts/use-records.js'
import { useRequest } from '../../parts/use-request.js'
import { ForceGraph } from '../../plots/force-graph.js'
import { createGraph, listNeighbours } from './graph-data.js'
import { getName } from './merging.js'

/** @import { EntityRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */
/** @import { Edge, Node } from '../../plots/force-graph.js' */

/** At most this many of the newest records about the entity are read. */
const newest = 60

/** The connections of the entity, as a picture and as a table. @param {{ entity: EntityRecord }} properties */
export function EntityGraph({ entity }) {
  const { id } = entity
  const request = useRequest(
    (signal) =>
      api.get('/v1/entities/{id}/records', {
        path: { id },
        query: { limit: newest, mask_secrets: true },
        signal,
      }),
    [id],
  )
  const neighbours = listNeighbours(id, request.data?.items ?? [])
  const known = useRecords(neighbours)
  const isReady = neighbours.every((one) => known.has(one))
  return html`<${Panel} title="Connections">
    ${showLoaded({ ...request, data: isReady ? request.data : undefined }, 8, ({ items }) => html`<${Drawn} name=${`Connections of ${getName(entity)}`} ...${createGraph(entity, items, known)} />`)}
  <//>`
}

/** @param {{ name: string, nodes: readonly Node[], edges: readonly Edge[] }} properties */
function Drawn({ name, nodes, edges }) {
  if (edges.length === 0) return html`<p class="note">No fact connects it with anything yet.</p>`
  return html`<${ForceGraph} name=${name} nodes=${nodes} edges=${edges} />
    <details><summary>As a table</summary><${Table} caption=${`${name}, as a table`} columns=${createColumns(nodes)} rows=${edges} keyOf=${formatKey} /></details>`
}

/** @param {Edge} edge */
function formatKey({ from, label, to }) {
  return JSON.stringify([from, label, to])
}

/** @param {readonly Node[]} nodes @returns {readonly Column<Edge>[]} */
function createColumns(nodes) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  /** @param {string} id */
  const show = (id) => {
    const { label, href, isCentre } = byId.get(id) ?? { label: id, isCentre: true }
    return html`<span class="clipped">${isCentre ? html`<bdi>${label}</bdi>` : html`<a href=${href}><bdi>${label}</bdi></a>`}</span>`
  }
  return [
    { name: 'from', label: 'From', show: ({ from }) => show(from) },
    { name: 'relation', label: 'Relation', show: ({ label }) => html`<bdi>${label}</bdi>` },
    { name: 'to', label: 'To', show: ({ to }) => show(to) },
  ]
}
