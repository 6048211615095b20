import { api } from '../../../api/client.js'
import { html } from '../../../html.js'
import { Lazy } from '../../../parts/lazy.js'
import { formatScore, toWords } from '../../../parts/numbers.js'
import { Panel } from '../../../parts/panel.js'
import { showLoaded } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { formatDuration } from '../../../parts/time.js'
import { useRequest } from '../../../parts/use-request.js'
import { query, toPath } from '../../../router.js'

/** @import { Policy } from '../../../api/types.d.ts' */
/** @import { Column } from '../../../parts/table.js' */

const loadForm = () => import('./policy-form.js')
const loadBudgets = () => import('./budgets.js')

/** How new records of each type fade, and how much a scope may hold. */
export function View() {
  const request = useRequest((signal) => api.get('/v1/policies', { signal }), [])
  const chosen = request.data?.items.find(({ type }) => type === query.value.get('type'))
  return html`<div class="stack">
    ${showLoaded(request, 8, (data) => html`<${Panel} title="Policies"><${Table} caption="Policies by type" columns=${columns} rows=${data.items} keyOf=${(/** @type {Policy} */ { type }) => type} isBusy=${request.isLoading} /><//>`)}
    ${chosen && html`<${Lazy} key=${JSON.stringify(chosen)} load=${loadForm} policy=${chosen} onChange=${request.reload} />`}
    <${Lazy} load=${loadBudgets} />
  </div>`
}

/** @type {readonly Column<Policy>[]} */
const columns = [
  {
    name: 'type',
    label: 'Type',
    show: ({ type }) => html`<a href=${toPath(['maintenance', 'policies'], { type })}>${toWords(type)}</a>`,
  },
  { name: 'curve', label: 'Curve', show: ({ decay }) => decay.curve },
  {
    name: 'half',
    label: 'Half-life',
    isNumber: true,
    show: ({ decay }) => formatDuration(decay.half_life_seconds),
  },
  { name: 'floor', label: 'Floor', isNumber: true, show: ({ decay }) => formatScore(decay.min_salience) },
  {
    name: 'age',
    label: 'Oldest',
    isNumber: true,
    show: ({ decay }) => (decay.max_age_seconds === 0 ? 'any' : formatDuration(decay.max_age_seconds)),
  },
  { name: 'gain', label: 'Gain', isNumber: true, show: ({ decay }) => formatScore(decay.reinforcement_gain) },
  { name: 'deletion', label: 'Deletion', isMain: true, show: (policy) => toWords(policy.deletion_policy) },
]
