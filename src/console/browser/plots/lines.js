import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { describeAxis, readColour, watchScheme } from './plot-style.js'

/** @import uPlot from 'uplot' */

/** @typedef {'accent' | 'bad' | 'good' | 'warn' | 'text-soft'} Colour */
/** @typedef {{ label: string, values: readonly (number | null)[], colour: Colour, isDashed?: boolean }} Line */

/**
 * @typedef {object} Plot
 * @property {string} name what the plot shows
 * @property {string} xLabel
 * @property {readonly number[]} x growing
 * @property {readonly Line[]} lines
 * @property {(value: number) => string} formatX
 * @property {(value: number) => string} formatY
 * @property {boolean} [isDuration] x is a time in seconds: the axis is marked at whole hours or days
 * @property {boolean} [hasPoints] a dot at each value, where there are few
 */

const height = 240
const minute = 60
const hour = 3_600
const day = 86_400
const spans = [
  1,
  5,
  15,
  30,
  minute,
  5 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  ...[1, 2, 5, 10, 30, 60, 90, 180, 365, 730, 1_825, 3_650, 18_250, 36_500, 365_000].map(
    (days) => days * day,
  ),
]

/**
 * Lines over one axis, as one picture with a name. The figures under the pointer are beside the names of the lines, and a
 * reader without sight gets all of them from the hidden table.
 * @param {Plot} plot
 */
export function Lines(plot) {
  const { name, xLabel, x, lines, formatX, formatY } = plot
  const [at, setAt] = useState(/** @type {number | null | undefined} */ (undefined))
  const box = useDrawing(plot, setAt)
  const show = (/** @type {number | null | undefined} */ value) => (value == null ? '–' : formatY(value))
  const place = typeof at === 'number' ? x[at] : undefined
  return html`<figure class="lines">
    <div class="lines-plot" role="img" aria-label=${name} ref=${box}></div>
    <figcaption class="lines-key" aria-hidden="true">
      ${lines.map(({ label, colour, isDashed, values }) => html`<span key=${label}><i class=${`line-mark ${colour}${isDashed ? ' dashed' : ''}`}></i>${label}${place !== undefined && html` <b>${show(values[at ?? 0])}</b>`}</span>`)}
      <span class="note">${xLabel}${place !== undefined && ` ${formatX(place)}`}</span>
    </figcaption>
    <div class="unseen"><table>
      <caption>${name}</caption>
      <thead><tr><th scope="col">${xLabel}</th>${lines.map(({ label }) => html`<th key=${label} scope="col">${label}</th>`)}</tr></thead>
      <tbody>${x.map((value, index) => html`<tr key=${value}><th scope="row">${formatX(value)}</th>${lines.map(({ label, values }) => html`<td key=${label}>${show(values[index])}</td>`)}</tr>`)}</tbody>
    </table></div>
  </figure>`
}

/**
 * Draws into the element of the returned reference, and again when the figures, the width or the colours change.
 * @param {Plot} plot
 * @param {(index: number | null | undefined) => void} onCursor
 */
function useDrawing(plot, onCursor) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [theme, setTheme] = useState(0)
  useEffect(() => {
    return watchScheme(() => setTheme((former) => former + 1))
  }, [])
  useEffect(() => {
    const element = box.current
    /** @type {uPlot | undefined} */
    let drawn
    let isCurrent = true
    const observer = new ResizeObserver(() => drawn?.setSize({ width: element?.clientWidth ?? 0, height }))
    import('uplot').then(({ default: UPlot }) => {
      if (!element || !isCurrent) return
      drawn = new UPlot(describePlot(plot, element, onCursor), toData(plot), element)
      observer.observe(element)
    })
    return () => {
      isCurrent = false
      observer.disconnect()
      drawn?.destroy()
    }
  }, [JSON.stringify([plot.x, plot.lines]), theme])
  return box
}

/** @param {Plot} plot @returns {uPlot.AlignedData} */
function toData({ x, lines }) {
  return [[...x], ...lines.map(({ values }) => [...values])]
}

/**
 * @param {Plot} plot
 * @param {HTMLElement} element
 * @param {(index: number | null | undefined) => void} onCursor
 * @returns {uPlot.Options}
 */
function describePlot({ lines, formatX, formatY, isDuration = false, hasPoints = false }, element, onCursor) {
  const colour = (/** @type {string} */ name) => readColour(element, `--${name}`)
  const axis = describeAxis(element)
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_, least, most) => [Math.min(0, least), most * 1.05 || 1] } },
    axes: [
      {
        ...axis,
        space: 80,
        size: 30,
        values: (_, splits) => splits.map(formatX),
        ...(isDuration ? { incrs: spans } : {}),
      },
      { ...axis, size: 56, values: (_, splits) => splits.map(formatY) },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 2,
        pxAlign: 0,
        points: { show: hasPoints, size: 6, fill: colour(line.colour) },
        ...(line.isDashed ? { dash: [6, 4] } : {}),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx)] },
  }
}
