import { api } from '../../../api/client.js'
import { html } from '../../../html.js'
import { Field, toOptions } from '../../../parts/fields.js'
import { formatCount, toWords } from '../../../parts/numbers.js'
import { RunStatus } from '../../../parts/run-tags.js'
import { Empty, showLoaded } from '../../../parts/states.js'
import { Pager, Table } from '../../../parts/table.js'
import { Time } from '../../../parts/time.js'
import { useRequest } from '../../../parts/use-request.js'
import { query, setQuery, toPath } from '../../../router.js'

import { RunScope } from '../run-scope.js'

/** @import { Plan } from '../../../api/types.d.ts' */
/** @import { Column } from '../../../parts/table.js' */

const statuses = /** @type {const} */ (['preparing', 'ready', 'stale', 'applied', 'expired', 'failed'])
const pageSize = 25

/** @type {readonly Column<Plan>[]} */
const columns = [
  {
    name: 'job',
    label: 'Plan',
    show: ({ id, job }) => html`<a href=${toPath(['maintenance', 'plans', id])}>${toWords(job)}</a>`,
  },
  { name: 'status', label: 'Status', show: ({ status }) => html`<${RunStatus} status=${status} />` },
  { name: 'scope', label: 'Scope', show: ({ scope }) => html`<${RunScope} scope=${scope} />` },
  { name: 'created', label: 'Made', show: (plan) => html`<${Time} at=${plan.created_at} />` },
  { name: 'expires', label: 'Expires', show: (plan) => html`<${Time} at=${plan.expires_at} />` },
  {
    name: 'counts',
    label: 'Changes',
    isMain: true,
    show: ({ counts }) =>
      Object.entries(counts)
        .map(([action, count]) => `${toWords(action)} ${formatCount(count)}`)
        .join(', ') || html`<span class="none">none</span>`,
  },
]

/** The plans, the newest first. */
export function View() {
  const cursor = query.value.get('cursor') ?? undefined
  const status = statuses.find((one) => one === query.value.get('status'))
  const request = useRequest(
    (signal) => api.get('/v1/maintenance/plans', { query: { status, cursor, limit: pageSize }, signal }),
    [status, cursor],
  )
  const choose = (/** @type {Event & { currentTarget: HTMLSelectElement }} */ { currentTarget: { value } }) =>
    setQuery({ status: value, cursor: undefined })
  return html`<div class="stack">
    <div class="narrow"><${Field} label="Status" value=${status ?? ''} options=${toOptions(statuses, 'all')} onChange=${choose} /></div>
    ${showLoaded(request, 8, (data) =>
      data.items.length === 0
        ? html`<${Empty} title="No plans">A plan lists the changes that a job would make. They are made only when you apply the plan. Create one above.<//>`
        : html`<${Table} caption="Plans" columns=${columns} rows=${data.items} keyOf=${(/** @type {Plan} */ { id }) => id} isBusy=${request.isLoading} /><${Pager} next=${data.next_cursor} />`,
    )}
  </div>`
}
