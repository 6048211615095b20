import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { html } from '../html.js'
import { describeAxis, readColour, watchScheme } from './plot-style.js'

/** @typedef {{ at: number, value: number }} Point moments are in milliseconds */

/** @typedef {{ label: string, colour: string, points: readonly Point[], isDashed?: boolean, isFilled?: boolean }} Line `colour` is the name of a custom property, such as `--accent` */

/** @typedef {{ at: number, label: string, colour: string }} Marker a moment with a name, as an upright line */

/**
 * Lines over time, as one picture with a name. `onMove` hears where a person drags in it.
 * @param {{ name: string, describedBy?: string, lines: readonly Line[], markers?: readonly Marker[], height?: number, most?: number, format?: (value: number) => string, onMove?: (at: number) => void }} properties
 */
export function TimeLines({
  name,
  describedBy,
  lines,
  markers = [],
  height = 220,
  most,
  format = String,
  onMove,
}) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const drawn = useRef({ lines, markers, most, format, height })
  drawn.current = { lines, markers, most, format, height }
  const plot = useRef(/** @type {UPlot | undefined} */ (undefined))
  useEffect(() => {
    const element = box.current
    if (!element) return
    const draw = () => {
      plot.current?.destroy()
      plot.current = createPlot(element, drawn)
    }
    draw()
    const unwatch = watchScheme(draw)
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      unwatch()
      plot.current?.destroy()
    }
  }, [lines.length, height])
  useEffect(() => plot.current?.setData(alignLines(lines)), [lines, markers, most])
  const follow = (/** @type {PointerEvent & { currentTarget: Element }} */ event) => {
    if (!onMove || !plot.current || (event.type === 'pointermove' && event.buttons !== 1)) return
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId)
    const { left } = plot.current.over.getBoundingClientRect()
    onMove(plot.current.posToVal(event.clientX - left, 'x') * 1_000)
  }
  return html`<div ref=${box} class=${onMove ? 'plot can-drag' : 'plot'} style=${{ minHeight: `${height}px` }} role="img" aria-label=${name} aria-describedby=${describedBy} onPointerDown=${follow} onPointerMove=${follow}></div>`
}

/** @typedef {{ current: { lines: readonly Line[], markers: readonly Marker[], most: number | undefined, format: (value: number) => string, height: number } }} Drawn */

/**
 * @param {HTMLDivElement} element
 * @param {Drawn} drawn
 */
function createPlot(element, drawn) {
  const colour = (/** @type {string} */ property) => readColour(element, property)
  const { lines, format, height } = drawn.current
  const axis = describeAxis(element)
  return new UPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      padding: [18, 12, 0, 0],
      scales: {
        y: { range: (_plot, _low, high) => [0, drawn.current.most ?? Math.max(high * 1.05, 0.001)] },
      },
      axes: [
        { ...axis, space: 70 },
        { ...axis, size: 44, space: 36, values: (_plot, ticks) => ticks.map(format) },
      ],
      series: [{}, ...lines.map((line) => describeLine(line, colour))],
      hooks: { draw: [(plot) => drawMarkers(plot, drawn.current.markers, colour)] },
    },
    alignLines(lines),
    element,
  )
}

/**
 * @param {Line} line
 * @param {(property: string) => string} colour
 * @returns {UPlot.Series}
 */
function describeLine({ label, colour: property, isDashed = false, isFilled = false }, colour) {
  const stroke = colour(property)
  return {
    label,
    stroke,
    width: 2,
    spanGaps: true,
    points: { show: false },
    ...(isDashed ? { dash: [5, 5] } : {}),
    ...(isFilled ? { fill: `color-mix(in srgb, ${stroke} 14%, transparent)` } : {}),
  }
}

/**
 * The plot wants one list of moments for all lines, in seconds; a line without a value at one of them is drawn across. An
 * empty line takes a moment of another one: any other moment would widen the axis.
 * @param {readonly Line[]} lines
 * @returns {UPlot.AlignedData}
 */
function alignLines(lines) {
  const tables = lines.map(
    ({ points }) =>
      /** @type {UPlot.AlignedData} */ ([
        points.map(({ at }) => at / 1_000),
        points.map(({ value }) => value),
      ]),
  )
  const first = tables.flatMap(([moments]) => [...moments])[0] ?? 0
  const drawable = tables.map(
    (table) => /** @type {UPlot.AlignedData} */ (table[0].length > 0 ? separate(table) : [[first], [null]]),
  )
  return UPlot.join(drawable)
}

/** Two values at one moment are a jump; the moments must still ascend. @param {UPlot.AlignedData} table @returns {UPlot.AlignedData} */
function separate([moments, values]) {
  let last = Number.NEGATIVE_INFINITY
  const ascending = Array.from(moments, (moment) => {
    last = moment > last ? moment : last + 0.001
    return last
  })
  return /** @type {UPlot.AlignedData} */ ([ascending, values])
}

/**
 * @param {UPlot} plot
 * @param {readonly Marker[]} markers
 * @param {(property: string) => string} colour
 */
function drawMarkers(plot, markers, colour) {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  let labelled = 0
  ctx.save()
  ctx.font = `${11 * ratio}px ${getComputedStyle(plot.root).fontFamily}`
  for (const { at, label, colour: property } of markers.toSorted((one, other) => one.at - other.at)) {
    const x = Math.round(plot.valToPos(at / 1_000, 'x', true))
    if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) continue
    ctx.strokeStyle = ctx.fillStyle = colour(property)
    ctx.lineWidth = ratio
    ctx.setLineDash([4 * ratio, 3 * ratio])
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    // Next to the previous label if both would be drawn at one place, and never outside of the picture.
    ctx.textAlign = 'left'
    const width = ctx.measureText(label).width
    const left = Math.max(bbox.left, labelled, x - width / 2)
    const start = Math.min(left, bbox.left + bbox.width - width)
    ctx.fillText(label, start, bbox.top - 6 * ratio)
    if (label !== '') labelled = start + width + 8 * ratio
  }
  ctx.restore()
}
