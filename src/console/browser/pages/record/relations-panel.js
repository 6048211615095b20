import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { nameCount, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { isRedacted, toText } from '../../parts/record-text.js'
import { Failure, Loading } from '../../parts/states.js'
import { useRequest } from '../../parts/use-request.js'
import { ForceGraph } from '../../plots/force-graph.js'
import { toPath } from '../../router.js'

/** @import { MemoryRecord, RelationEdge } from '../../api/types.d.ts' */

/** Neighbours that are read and drawn; a record may have thousands. */
const maxShown = 16

/** @typedef {{ predicate: string, isOut: boolean, id: string, weight: number, label: string }} Neighbour */

/** The records around a record. @param {{ record: MemoryRecord }} properties */
export function RelationsPanel({ record }) {
  if (record.forgotten)
    return html`<${Panel} title="Relations"><p class="note">A forgotten record has no relations until it is restored.</p><//>`
  return html`<${LiveRelations} record=${record} />`
}

/** @param {{ record: MemoryRecord }} properties */
function LiveRelations({ record }) {
  const { data, error, reload } = useRequest(
    (signal) => readNeighbours(record.id, signal),
    [record.id, record.version],
  )
  const show = () => {
    if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
    if (data) return html`<${Neighbours} record=${record} neighbours=${data.neighbours} />`
    return html`<div class="graph-place"><${Loading} lines=${4} /></div>`
  }
  return html`<${Panel} title="Relations" aside=${data && html`<span class="note">${data.hasMore ? `the first ${maxShown}` : nameCount(data.neighbours.length, 'relation')}</span>`}>
    ${show()}
  <//>`
}

/** @param {{ record: MemoryRecord, neighbours: readonly Neighbour[] }} properties */
function Neighbours({ record, neighbours }) {
  if (neighbours.length === 0) return html`<p class="note">Nothing is linked to this record.</p>`
  const others = [
    ...new Map(neighbours.filter(({ id }) => id !== record.id).map((one) => [one.id, one])).values(),
  ]
  const nodes = [
    { id: record.id, label: toText(record), href: toPath(['records', record.id]), isCentre: true },
    ...others.map(({ id, label }) => ({ id, label, href: toPath(['records', id]) })),
  ]
  const edges = neighbours.map(({ id, predicate }) => ({
    from: record.id,
    to: id,
    label: toWords(predicate),
  }))
  return html`<${ForceGraph} name="Relations of this record" nodes=${nodes} edges=${edges} />
    <ul class="plain relations">
      ${neighbours.map(({ predicate, isOut, id, label }) => html`<li key=${`${isOut} ${predicate} ${id}`}><span class="note">${isOut ? '→' : '←'} ${toWords(predicate)}</span> <a href=${toPath(['records', id])}><bdi>${label}</bdi></a></li>`)}
    </ul>`
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 */
async function readNeighbours(id, signal) {
  const read = (/** @type {'out' | 'in'} */ direction) =>
    api.get('/v1/records/{id}/relations', { path: { id }, query: { direction, limit: maxShown }, signal })
  const [out, into] = await Promise.all([read('out'), read('in')])
  const edges = joinDirections(id, out.items, into.items)
  const shown = edges.slice(0, maxShown)
  const labels = await readLabels([...new Set(shown.map((edge) => edge.id))], signal)
  return {
    hasMore: edges.length > maxShown || out.next_cursor !== undefined || into.next_cursor !== undefined,
    neighbours: shown.map((edge) => ({ ...edge, label: labels.get(edge.id) ?? 'A record that is gone' })),
  }
}

/**
 * A known predicate is stored in both directions; of such a pair the one that starts here says enough.
 * @param {string} id
 * @param {readonly RelationEdge[]} out
 * @param {readonly RelationEdge[]} into
 */
function joinDirections(id, out, into) {
  const targets = new Set(out.map(({ target_id }) => target_id))
  return [
    ...out.map(({ predicate, target_id, weight }) => ({ predicate, isOut: true, id: target_id, weight })),
    ...into
      .filter(({ source_id }) => source_id !== id && !targets.has(source_id))
      .map(({ predicate, source_id, weight }) => ({ predicate, isOut: false, id: source_id, weight })),
  ]
}

/**
 * @param {readonly string[]} ids
 * @param {AbortSignal} signal
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function readLabels(ids, signal) {
  const read = ids.map(async (id) => {
    const record = await api
      .get('/v1/records/{id}', { path: { id }, query: { include_forgotten: true }, signal })
      .catch(() => undefined)
    return /** @type {const} */ ([
      id,
      record &&
        (isRedacted(record) || !record.forgotten ? toText(record, 80) : `${toText(record, 80)} (forgotten)`),
    ])
  })
  const labels = await Promise.all(read)
  return new Map(labels.flatMap(([id, label]) => (label === undefined ? [] : [[id, label]])))
}
