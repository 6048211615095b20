import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force'
import { html } from '../html.js'
import { clip } from '../parts/record-text.js'
import { navigate } from '../router.js'

/** @import { SimulationLinkDatum, SimulationNodeDatum } from 'd3-force' */

/** @typedef {{ id: string, label: string, href: string, isCentre?: boolean }} Node */
/** @typedef {{ from: string, to: string, label: string }} Edge */
/** @typedef {Node & SimulationNodeDatum} Placed */

const width = 380
const height = 280
const rounds = 200
/** Labels stand beside their dots, away from the middle, and must end inside the picture. */
const longestLabel = 15
const margin = { x: 112, y: 14 }

/**
 * A small graph as one picture with a name. It is laid out once, so nothing moves; the page lists the same beside it.
 * @param {{ name: string, nodes: readonly Node[], edges: readonly Edge[] }} properties
 */
export function ForceGraph({ name, nodes, edges }) {
  const placed = layOut(nodes, edges)
  const at = (/** @type {string} */ id) => placed.find((node) => node.id === id)
  return html`<svg class="force-graph" role="img" aria-label=${name} viewBox=${`0 0 ${width} ${height}`}>
    ${edges.map(({ from, to, label }, index) => {
      const start = at(from)
      const end = at(to)
      if (!start || !end) return null
      return html`<line key=${index} class="edge" x1=${start.x} y1=${start.y} x2=${end.x} y2=${end.y}><title>${label}</title></line>`
    })}
    ${placed.map(
      ({
        id,
        label,
        href,
        x = 0,
        y = 0,
        isCentre = false,
      }) => html`<g key=${id} class=${isCentre ? 'dot centre' : 'dot'} transform=${`translate(${x},${y})`} onClick=${() => !isCentre && navigate(href)}>
        <title>${label}</title>
        <circle r=${isCentre ? 8 : 6} />
        ${!isCentre && html`<text x=${x < width / 2 ? -10 : 10} dy="0.35em" text-anchor=${x < width / 2 ? 'end' : 'start'}>${clip(label, longestLabel)}</text>`}
      </g>`,
    )}
  </svg>`
}

/**
 * @param {readonly Node[]} nodes
 * @param {readonly Edge[]} edges
 * @returns {Placed[]}
 */
function layOut(nodes, edges) {
  /** @type {Placed[]} */
  const placed = nodes.map((node) =>
    node.isCentre ? { ...node, fx: width / 2, fy: height / 2 } : { ...node },
  )
  const known = new Set(nodes.map(({ id }) => id))
  /** @type {SimulationLinkDatum<Placed>[]} */
  const links = edges
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .map(({ from, to }) => ({ source: from, target: to }))
  const link = forceLink(links).id((/** @type {SimulationNodeDatum} */ node) =>
    'id' in node ? String(node.id) : '',
  )
  const simulation = forceSimulation(placed)
    .force('link', link.distance(90))
    .force('charge', forceManyBody().strength(-220))
    .force('x', forceX(width / 2).strength(0.14))
    .force('y', forceY(height / 2).strength(0.02))
    .force('collide', forceCollide(18))
    .stop()
  simulation.tick(rounds)
  return placed.map((node) => ({
    ...node,
    x: limitPlace(node.x, width, margin.x),
    y: limitPlace(node.y, height, margin.y),
  }))
}

/** @param {number | undefined} place @param {number} size @param {number} edge */
function limitPlace(place, size, edge) {
  return Math.round(Math.min(size - edge, Math.max(edge, place ?? size / 2)))
}
