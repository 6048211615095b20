import { describeProblem, Problem } from '../../api/problem.js'
import { html } from '../../html.js'
import { formatCount, formatShare, nameCount, toWords } from '../../parts/numbers.js'
import { RecordId } from '../../parts/record-id.js'
import { toText } from '../../parts/record-text.js'
import { Empty, Failure } from '../../parts/states.js'
import { scopeColumn, Table } from '../../parts/table.js'
import { countLines } from './import-report.js'

/** @import { SeenRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */
/** @import { Line, Tally } from './import-report.js' */
/** @import { Run } from './import-form.js' */

/** @param {{ run: Run }} properties */
export function Progress({ run: { sent, isDryRun } }) {
  return html`<div class="stack">
    <progress max="1" value=${sent} aria-label=${isDryRun ? 'Checking' : 'Importing'}></progress>
    <p class="note">${sent < 1 ? `${formatShare(sent)} sent` : 'Sent; the last results are still to come'}</p>
  </div>`
}

/** @param {{ run: Run }} properties */
export function Report({ run: { report, state, error, isDryRun, fileName } }) {
  const { tally, problem, format, refused, sample, looseRelations } = report
  return html`<section class="stack report" aria-label="Report">
    ${state === 'failed' && html`<${Failure} error=${error} />`}
    ${state === 'stopped' && html`<${Empty} title="Stopped">${isDryRun ? 'Nothing was stored.' : 'The records that were created until then are stored. Import the file again to continue: existing records stay as they are.'}<//>`}
    ${problem && html`<${Failure} error=${new Problem(problem)} />`}
    ${state === 'done' && !problem && !tally && html`<${Failure} error=${new Error('The report ended too early. Import the file again: existing records stay as they are.')} />`}
    ${
      tally &&
      html`<div role="status"><h3 class="wrapping">${isDryRun ? 'Dry run of' : 'Imported'} <bdi>${fileName}</bdi>${format !== undefined && html` <span class="tag">${format}</span>`}</h3></div>
        <${Figures} tally=${tally} isDryRun=${isDryRun} />`
    }
    ${tally && countLines(tally) === 0 && html`<${Empty} title="Nothing in it">The file contains no record. Is the format right?<//>`}
    ${looseRelations > 0 && html`<p class="note">${nameCount(looseRelations, 'relation')} left out: the records at their other ends are not in the file.</p>`}
    ${refused.length > 0 && html`<${Refused} lines=${refused} most=${tally ? tally.conflict + tally.invalid : refused.length} />`}
    ${sample.length > 0 && html`<h3>Records as they would be stored</h3><${Table} caption="Sample of the records" columns=${sampleColumns} rows=${sample} keyOf=${(/** @type {SeenRecord} */ { id }) => id} />`}
  </section>`
}

/** @param {{ tally: Tally, isDryRun: boolean }} properties */
function Figures({ tally, isDryRun }) {
  const figures = [
    [isDryRun ? 'would be created' : 'created', tally.created, 'good'],
    ['unchanged', tally.unchanged, ''],
    ['in conflict', tally.conflict, 'warn'],
    ['invalid', tally.invalid, 'bad'],
  ]
  return html`<ul class="tallies" aria-label="Summary">
    ${figures.map(([name, amount, look]) => html`<li key=${name}><span class=${`tally ${amount === 0 ? '' : look}`}>${formatCount(Number(amount))}</span> ${name}</li>`)}
  </ul>`
}

/** @param {{ lines: readonly Line[], most: number }} properties */
function Refused({ lines, most }) {
  return html`<h3>Refused</h3>
    <${Table} caption="Refused lines" columns=${refusedColumns} rows=${lines.map((line, index) => ({ ...line, index }))} keyOf=${(/** @type {{ index: number }} */ { index }) => String(index)} />
    ${most > lines.length && html`<p class="note">The first ${formatCount(lines.length)} of ${formatCount(most)}.</p>`}`
}

/** @type {readonly Column<Line & { index: number }>[]} */
const refusedColumns = [
  { name: 'line', label: 'Line', isNumber: true, show: ({ line }) => formatCount(line) },
  {
    name: 'status',
    label: 'Status',
    show: ({ status }) => html`<span class=${status === 'invalid' ? 'tag bad' : 'tag warn'}>${status}</span>`,
  },
  {
    name: 'reason',
    label: 'Reason',
    isMain: true,
    show: ({ problem }) =>
      html`<span class="wrapping">${problem && describeProblem(new Problem(problem))}</span>`,
  },
  {
    name: 'record',
    label: 'Record',
    show: ({ id, status }) =>
      id === undefined
        ? html`<span class="none">–</span>`
        : html`<${RecordId} id=${id} isLink=${status === 'conflict'} />`,
  },
]

/** @type {readonly Column<SeenRecord>[]} */
const sampleColumns = [
  {
    name: 'text',
    label: 'Record',
    isMain: true,
    show: (record) => html`<div class="clipped-line" dir="auto">${toText(record)}</div>`,
  },
  { name: 'type', label: 'Type', show: ({ type }) => toWords(type) },
  scopeColumn,
  { name: 'sensitivity', label: 'Sensitivity', show: ({ sensitivity }) => sensitivity },
]
