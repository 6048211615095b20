import { useState } from 'preact/hooks'
import { api } from '../../../api/client.js'
import { may } from '../../../api/session.js'
import { html } from '../../../html.js'
import { notify } from '../../../parts/notices.js'
import { formatBytes, formatCount, toWords } from '../../../parts/numbers.js'
import { Panel } from '../../../parts/panel.js'
import { askReason } from '../../../parts/reason-dialog.js'
import { showLoaded } from '../../../parts/states.js'
import { Pager, Table } from '../../../parts/table.js'
import { useRequest } from '../../../parts/use-request.js'
import { query } from '../../../router.js'
import { BudgetForm } from './budget-form.js'

/** @import { Budget } from '../../../api/types.d.ts' */
/** @import { Column } from '../../../parts/table.js' */

/** How much each scope may hold. */
export function View() {
  const cursor = query.value.get('budgets') ?? undefined
  const [edited, setEdited] = useState(/** @type {Partial<Budget> | undefined} */ (undefined))
  const request = useRequest(
    (signal) => api.get('/v1/policies/budgets', { query: { cursor, limit: 50 }, signal }),
    [cursor],
  )
  const finish = () => {
    setEdited(undefined)
    request.reload()
  }
  /** @type {Column<Budget>} */
  const actions = {
    name: 'actions',
    label: html`<span class="unseen">Actions</span>`,
    show: (budget) =>
      html`<div class="row"><button type="button" aria-label=${`Change the budget of ${describeScope(budget)}`} onClick=${() => setEdited(budget)}>Change</button><button type="button" aria-label=${`Delete the budget of ${describeScope(budget)}`} onClick=${() => remove(budget, finish)}>Delete</button></div>`,
  }
  const add = may('admin') && html`<button type="button" onClick=${() => setEdited({})}>New budget</button>`
  return html`<${Panel} title="Budgets" aside=${add}>
      ${showLoaded(request, 3, (data) =>
        data.items.length === 0
          ? html`<p class="note">No scope has a budget: no record is forgotten to save space.</p>`
          : html`<${Table} caption="Budgets by scope" columns=${may('admin') ? [...columns, actions] : columns} rows=${data.items} keyOf=${(/** @type {Budget} */ { scope }) => scope ?? ''} isBusy=${request.isLoading} />`,
      )}
      <${Pager} name="budgets" next=${request.data?.next_cursor} />
    <//>
    ${edited && html`<${BudgetForm} key=${edited.scope ?? ''} budget=${edited} onChange=${finish} onCancel=${() => setEdited(undefined)} />`}`
}

/** @param {Budget} budget */
const describeScope = ({ scope }) => scope ?? 'every other scope'

/** @type {readonly Column<Budget>[]} */
const columns = [
  {
    name: 'scope',
    label: 'Scope',
    isMain: true,
    show: ({ scope }) => (scope === undefined ? 'every other scope' : html`<bdi>${scope}</bdi>`),
  },
  {
    name: 'limit',
    label: 'May hold',
    isNumber: true,
    show: ({ max_records, max_bytes = 0 }) =>
      max_records === undefined ? formatBytes(max_bytes) : `${formatCount(max_records)} records`,
  },
  { name: 'mode', label: 'Limit', show: ({ mode }) => mode },
  { name: 'protect', label: 'Protects', show: ({ protect }) => protect.map(toWords).join(', ') || '–' },
]

/** @param {Budget} budget @param {() => void} onChange */
function remove({ scope }, onChange) {
  askReason({
    action: 'Delete',
    needsReason: false,
    isDangerous: true,
    explanation:
      scope === undefined
        ? 'Scopes without a budget are then unlimited. Forgotten records stay forgotten.'
        : 'The default then applies to the scope. Forgotten records stay forgotten.',
    act: async () => {
      if (scope === undefined) await api.delete('/v1/policies/budgets', {})
      else await api.delete('/v1/policies/budgets/{scope}', { path: { scope } })
      notify('The budget is deleted.')
      onChange()
    },
  })
}
