import { api } from '../../../api/client.js'
import { may } from '../../../api/session.js'
import { html } from '../../../html.js'
import { Checkbox, Field, toOptions } from '../../../parts/fields.js'
import { toWords } from '../../../parts/numbers.js'
import { Panel } from '../../../parts/panel.js'
import { RecordLine } from '../../../parts/record-line.js'
import { recordTypes } from '../../../parts/record-types.js'
import { showLoaded } from '../../../parts/states.js'
import { Pager, Table } from '../../../parts/table.js'
import { useRecords } from '../../../parts/use-records.js'
import { useRequest } from '../../../parts/use-request.js'
import { query, setQuery } from '../../../router.js'
import { ActionTag, Difference } from '../change-cells.js'
import { isChosen, toggle } from './plan-selection.js'

/** @import { Plan, PlanChange } from '../../../api/types.d.ts' */
/** @import { Column } from '../../../parts/table.js' */
/** @import { Selection } from './plan-selection.js' */

const pageSize = 25

/**
 * Every change of a plan, page by page, each with a box that chooses its record.
 * @param {{ plan: Plan, selection: Selection, setSelection: (selection: Selection) => void }} properties
 */
export function PlanChanges({ plan: { id, counts }, selection, setSelection }) {
  const cursor = query.value.get('changes') ?? undefined
  const action = query.value.get('action') ?? undefined
  const type = recordTypes.find((one) => one === query.value.get('type'))
  const request = useRequest(
    (signal) =>
      api.get('/v1/maintenance/plans/{id}/changes', {
        path: { id },
        query: { action, type, cursor, limit: pageSize },
        signal,
      }),
    [id, action, type, cursor],
  )
  const known = useRecords(request.data?.items.map(({ record_id }) => record_id) ?? [])
  const choose = (
    /** @type {Event & { currentTarget: HTMLSelectElement }} */ { currentTarget: { name, value } },
  ) => setQuery({ [name]: value, changes: undefined })
  return html`<${Panel} title="What would change">
    <div class="narrow">
      <${Field} label="Action" name="action" value=${action ?? ''} options=${toOptions(Object.keys(counts), 'all')} onChange=${choose} />
      <${Field} label="Type" name="type" value=${type ?? ''} options=${toOptions(recordTypes, 'all')} onChange=${choose} />
    </div>
    ${showLoaded(request, 12, (data) =>
      data.items.length === 0
        ? html`<p class="note">No change of this kind that the key may see.</p>`
        : html`<${Table} caption="Changes of the plan" columns=${createColumns({ known, selection, setSelection })} rows=${data.items} keyOf=${(/** @type {PlanChange} */ change) => `${change.record_id} ${change.action}`} isBusy=${request.isLoading} />`,
    )}
    <${Pager} name="changes" next=${request.data?.next_cursor} />
  <//>`
}

/**
 * @param {{ known: import('../../../parts/use-records.js').KnownRecords, selection: Selection, setSelection: (selection: Selection) => void }} context
 * @returns {readonly Column<PlanChange>[]}
 */
function createColumns({ known, selection, setSelection }) {
  /** @type {Column<PlanChange>} */
  const box = {
    name: 'box',
    label: html`<span class="unseen">Chosen</span>`,
    // A kind of change that is chosen or left out decides for all its records.
    show: ({ record_id: id, action }) =>
      html`<${Checkbox} isHidden label=${`${toWords(action)} ${id}`} checked=${isChosen(selection, id, action)} disabled=${selection.names.has(action)} onChange=${() => setSelection(toggle(selection, id))} />`,
  }
  return [
    ...(may('maintenance:run') ? [box] : []),
    {
      name: 'record',
      label: 'Record',
      isMain: true,
      show: ({ record_id: id, action }) =>
        html`<${RecordLine} id=${id} known=${known} absent=${action === 'create' ? 'new record' : undefined} />`,
    },
    { name: 'type', label: 'Type', show: ({ type }) => toWords(type) },
    { name: 'action', label: 'Action', show: ({ action }) => html`<${ActionTag} action=${action} />` },
    { name: 'change', label: 'Change', show: (change) => html`<${Difference} change=${change} />` },
    { name: 'why', label: 'Why', show: ({ why }) => html`<div class="why">${why}</div>` },
  ]
}
