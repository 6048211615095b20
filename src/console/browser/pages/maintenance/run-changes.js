import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { nameCount } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { RecordLine } from '../../parts/record-line.js'
import { Failure, Loading } from '../../parts/states.js'
import { Pager, Table } from '../../parts/table.js'
import { useRecords } from '../../parts/use-records.js'
import { useRequest } from '../../parts/use-request.js'
import { query } from '../../router.js'
import { ActionTag, Difference } from './change-cells.js'

/** @import { MaintenanceRun, RunChange } from '../../api/types.d.ts' */

const pageSize = 25

/** The changes of a run so far, page by page. @param {{ run: MaintenanceRun }} properties */
export function RunChanges({ run: { id, finished_at, dry_run } }) {
  const cursor = query.value.get('changes') ?? undefined
  const { data, error, isLoading, reload } = useRequest(
    (signal) =>
      api.get('/v1/maintenance/runs/{id}/changes', {
        path: { id },
        query: { cursor, limit: pageSize },
        signal,
      }),
    [id, cursor, finished_at],
  )
  const known = useRecords(data?.items.map(({ record_id }) => record_id) ?? [])
  const title = dry_run ? 'What it would change' : 'Changes'
  if (error !== undefined)
    return html`<${Panel} title=${title}><${Failure} error=${error} retry=${reload} /><//>`
  if (!data) return html`<${Panel} title=${title}><${Loading} lines=${8} /><//>`
  const columns = [
    {
      name: 'record',
      label: 'Record',
      isMain: true,
      show: (/** @type {RunChange} */ { record_id, action }) =>
        html`<${RecordLine} id=${record_id} known=${known} absent=${action === 'create' ? 'new record' : undefined} />`,
    },
    {
      name: 'action',
      label: 'Action',
      show: (/** @type {RunChange} */ { action }) => html`<${ActionTag} action=${action} />`,
    },
    {
      name: 'change',
      label: 'Change',
      show: (/** @type {RunChange} */ change) => html`<${Difference} change=${change} />`,
    },
  ]
  return html`<${Panel} title=${title}>
    ${
      data.items.length === 0
        ? html`<p class="note">${finished_at === undefined ? 'Nothing yet.' : 'It changed nothing that this key may see.'}</p>`
        : html`<${Table} caption="Changes of the run" columns=${data.items.some(({ note }) => note) ? [...columns, noteColumn] : columns} rows=${data.items} keyOf=${(/** @type {RunChange} */ { record_id, action }) => `${record_id} ${action}`} isBusy=${isLoading} />`
    }
    <${Pager} name="changes" next=${data.next_cursor} />
    ${data.hidden ? html`<p class="note">${nameCount(data.hidden, 'change')} of records that this key may not see.</p>` : null}
  <//>`
}

/** @type {import('../../parts/table.js').Column<RunChange>} */
const noteColumn = { name: 'note', label: 'Note', show: ({ note }) => html`<div class="why">${note}</div>` }
