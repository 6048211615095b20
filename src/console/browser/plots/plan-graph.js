import { html } from '../html.js'
import { clip } from '../parts/record-text.js'

/** @import { MemoryRecord } from '../api/types.d.ts' */

/** @typedef {Extract<MemoryRecord['payload'], { kind: 'plan_graph' }>} Plan */

/** More nodes than this are only listed: a picture of them cannot be read. */
const maxDrawn = 60
const boxWidth = 130
const boxHeight = 34
const gapX = 30
const gapY = 14
/** A wide plan is drawn smaller, but not too small to be read: from there on it scrolls. */
const smallest = 0.8

/** The steps of a plan from left to right, each behind those that it needs. @param {{ payload: Plan }} properties */
export function PlanGraph({ payload: { nodes, edges } }) {
  const list = html`<ol class=${nodes.length > maxDrawn ? 'steps' : 'unseen'}>${nodes.slice(0, 500).map(
    ({ id, op }) =>
      html`<li key=${id}>${op}<span class="note"> after ${
        edges
          .filter(({ to }) => to === id)
          .map(({ from }) => from)
          .join(', ') || 'nothing'
      }</span></li>`,
  )}</ol>`
  if (nodes.length === 0 || nodes.length > maxDrawn) return list
  const places = placeNodes(nodes, edges)
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + boxWidth
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + boxHeight
  return html`<div class="graph-box" tabindex="0" role="region" aria-label="Plan">
    <svg role="img" aria-label="Steps of the plan" viewBox=${`-2 -2 ${width + 4} ${height + 4}`} style=${{ width: `${width + 4}px`, maxWidth: '100%', minWidth: `${smallest * (width + 4)}px` }}>
      <defs><marker id="plan-arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="7" markerHeight="7" orient="auto"><path class="arrow" d="M0,0L6,3L0,6z" /></marker></defs>
      ${edges.map(({ from, to, kind }) => {
        const start = places.get(from)
        const end = places.get(to)
        if (!start || !end) return null
        const x1 = start.x + boxWidth
        const y1 = start.y + boxHeight / 2
        const x2 = end.x
        const y2 = end.y + boxHeight / 2
        const bend = (x2 - x1) / 2
        return html`<path key=${`${from} ${to}`} class=${kind === 'data' ? 'edge' : 'edge dashed'} marker-end="url(#plan-arrow)" d=${`M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`} />`
      })}
      ${nodes.map(({ id, op }) => {
        const { x, y } = places.get(id) ?? { x: 0, y: 0 }
        return html`<g key=${id} transform=${`translate(${x},${y})`}><title>${op}</title><rect class="node" width=${boxWidth} height=${boxHeight} rx="5" /><text x=${boxWidth / 2} y=${boxHeight / 2} dy="0.35em" text-anchor="middle">${clip(op, 20)}</text></g>`
      })}
    </svg>
    ${list}
  </div>`
}

/**
 * A column for each step of the longest way to a node.
 * @param {Plan['nodes']} nodes
 * @param {Plan['edges']} edges
 */
function placeNodes(nodes, edges) {
  /** @type {Map<string, number>} */
  const columns = new Map(nodes.map(({ id }) => [id, 0]))
  // The graph has no cycle, so it settles after at most as many rounds as there are nodes.
  for (let round = 0; round < nodes.length; round++) {
    const late = edges.filter(({ from, to }) => (columns.get(to) ?? 0) <= (columns.get(from) ?? 0))
    if (late.length === 0) break
    for (const { from, to } of late) columns.set(to, (columns.get(from) ?? 0) + 1)
  }
  /** @type {Map<number, number>} */
  const filled = new Map()
  return new Map(
    nodes.map(({ id }) => {
      const column = columns.get(id) ?? 0
      const row = filled.get(column) ?? 0
      filled.set(column, row + 1)
      return [id, { x: column * (boxWidth + gapX), y: row * (boxHeight + gapY) }]
    }),
  )
}
