import { api } from '../../../api/client.js'
import { may } from '../../../api/session.js'
import { html } from '../../../html.js'
import { Checkbox } from '../../../parts/fields.js'
import { formatBytes, formatCount, formatScore, toWords } from '../../../parts/numbers.js'
import { RecordLine } from '../../../parts/record-line.js'
import { Failure, Loading } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { useRecords } from '../../../parts/use-records.js'
import { useRequest } from '../../../parts/use-request.js'
import { ActionTag } from '../change-cells.js'
import { isChosen, toggle } from './plan-selection.js'

/** @import { Plan, PlanSummary } from '../../../api/types.d.ts' */
/** @import { Column } from '../../../parts/table.js' */
/** @import { Selection } from './plan-selection.js' */

/** @typedef {PlanSummary['groups'][number]} Group */

/**
 * The plan in figures, and the boxes that choose kinds of change.
 * @param {{ plan: Plan, selection: Selection, setSelection: (selection: Selection) => void }} properties
 */
export function PlanGroups({ plan: { id, counts }, selection, setSelection }) {
  const { data, error, reload } = useRequest(
    (signal) => api.get('/v1/maintenance/plans/{id}/summary', { path: { id }, signal }),
    [id],
  )
  const known = useRecords(data?.groups.flatMap((group) => group.most_valuable?.record_id ?? []) ?? [])
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} lines=${4} />`
  /** @type {readonly Column<Group>[]} */
  const columns = [
    { name: 'action', label: 'Action', show: ({ action }) => html`<${ActionTag} action=${action} />` },
    { name: 'type', label: 'Type', show: ({ type }) => toWords(type) },
    { name: 'count', label: 'Records', isNumber: true, show: ({ count }) => formatCount(count) },
    { name: 'salience', label: 'Salience', isNumber: true, show: ({ salience }) => formatScore(salience) },
    { name: 'bytes', label: 'Size', isNumber: true, show: ({ bytes }) => formatBytes(bytes) },
    {
      name: 'most',
      label: 'Worth most',
      isMain: true,
      show: ({ most_valuable: most }) => most && html`<${RecordLine} id=${most.record_id} known=${known} />`,
    },
  ]
  return html`<${Table} caption="Summary of the plan" columns=${columns} rows=${data.groups} keyOf=${(/** @type {Group} */ { action, type }) => `${action} ${type}`} />
    ${may('maintenance:run') && html`<${Kinds} counts=${counts} selection=${selection} setSelection=${setSelection} />`}`
}

/** @param {{ counts: Plan['counts'], selection: Selection, setSelection: (selection: Selection) => void }} properties */
function Kinds({ counts, selection, setSelection }) {
  const choose = (/** @type {Selection['mode']} */ mode) => setSelection({ mode, names: new Set() })
  const way = (/** @type {Selection['mode']} */ mode, /** @type {string} */ label) =>
    html`<label class="check"><input type="radio" name="choice" checked=${selection.mode === mode} onChange=${() => choose(mode)} />${label}</label>`
  return html`<div class="row choice" role="group" aria-label="Changes to apply">
    ${way('except', 'All changes but the unticked ones')}
    ${way('only', 'Only what is ticked')}
    ${Object.entries(counts).map(([action, count]) => html`<${Checkbox} key=${action} label=${`${toWords(action)} (${formatCount(count)})`} checked=${isChosen(selection, action)} onChange=${() => setSelection(toggle(selection, action))} />`)}
  </div>`
}
