import { html } from '../../html.js'
import { formatBytes, formatCompact, formatCount } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { Table } from '../../parts/table.js'
import { formatDuration } from '../../parts/time.js'
import { Lines } from '../../plots/lines.js'

/** @import { MaintenanceRun, SimulatedPoint } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

/** The value that a simulation varies, by the options of its run. @param {MaintenanceRun['options']} options */
function describeComparison(options) {
  if ('half_life' in options) return { what: 'half-life', format: formatDuration }
  const budget = JSON.stringify(options['budget'] ?? {})
  if (budget.includes('max_bytes')) return { what: 'limit in bytes', format: formatBytes }
  if (budget.includes('max_records')) return { what: 'limit in records', format: formatCompact }
  return { what: 'policies', format: formatCount }
}

/** The number of records that each tried value would have forgotten. @param {{ run: MaintenanceRun }} properties */
export function View({ run }) {
  const { what, format } = describeComparison(run.options)
  const points = run.stats.curve ?? []
  if (points.length === 0)
    return html`<${Panel} title="Curve"><p class="note">${run.finished_at === undefined ? 'The curve appears when the run has ended.' : 'The run ended without a curve.'}</p><//>`
  const sorted = points
    .flatMap((point) => (point.value === null ? [] : [{ ...point, value: point.value }]))
    .sort((one, other) => one.value - other.value)
  /** @type {readonly Column<SimulatedPoint>[]} */
  const columns = [
    { name: 'value', label: what, show: ({ value }) => (value === null ? 'as given' : format(value)) },
    {
      name: 'forgotten',
      label: 'Forgotten',
      isNumber: true,
      show: ({ forgotten }) => formatCount(forgotten),
    },
    {
      name: 'regretted',
      label: 'Missed later',
      isNumber: true,
      show: ({ regretted }) => formatCount(regretted),
    },
    { name: 'bytes', label: 'Size', isNumber: true, show: ({ bytes_saved }) => formatBytes(bytes_saved) },
  ]
  return html`<${Panel} title="Curve">
    ${
      sorted.length > 1 &&
      html`<${Lines} name=${`Simulated forgetting by ${what}`} xLabel=${what} x=${sorted.map(({ value }) => value)} formatX=${format} isDuration=${what === 'half-life'} formatY=${formatCompact} hasPoints lines=${[
        { label: 'forgotten', colour: 'accent', values: sorted.map(({ forgotten }) => forgotten) },
        {
          label: 'missed later',
          colour: 'bad',
          values: sorted.map(({ regretted }) => regretted),
          isDashed: true,
        },
      ]} />`
    }
    <${Table} caption="Simulated values" columns=${columns} rows=${points} keyOf=${(/** @type {SimulatedPoint} */ { value }) => String(value)} />
  <//>`
}
