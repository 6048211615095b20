import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { notify } from '../../parts/notices.js'
import { toWords } from '../../parts/numbers.js'
import { askReason } from '../../parts/reason-dialog.js'
import { Failure, Loading } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { jobs, seesAll } from './jobs.js'

/** @import { Schedule } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

/** How often each job runs by itself, and whether what it plans waits to be applied. */
export function View() {
  const { data, error, isLoading, reload } = useRequest(
    (signal) => api.get('/v1/maintenance/schedules', { signal }),
    [],
  )
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} lines=${8} />`
  /** @type {Column<Schedule>} */
  const change = {
    name: 'change',
    label: html`<span class="unseen">Change</span>`,
    show: (schedule) =>
      html`<button type="button" aria-label=${`Change ${toWords(schedule.job)}`} onClick=${() => setSchedule(schedule, reload)}>Change</button>`,
  }
  const mayChange = may('maintenance:run') && seesAll()
  return html`<${Table} caption="Schedules" columns=${mayChange ? [...columns, change] : columns} rows=${data.items} keyOf=${(/** @type {Schedule} */ { job }) => job} isBusy=${isLoading} />
    ${!mayChange && html`<p class="note">To change schedules, a key needs <code>maintenance:run</code> and all scopes, and must read up to <code>hyper</code>.</p>`}`
}

/** @type {readonly Column<Schedule>[]} */
const columns = [
  { name: 'job', label: 'Job', show: ({ job }) => toWords(job) },
  { name: 'interval', label: 'Every', show: ({ interval, enabled }) => (enabled ? interval : 'off') },
  { name: 'mode', label: 'Starts', show: ({ mode }) => (mode === 'plan' ? 'a plan' : 'a run') },
  {
    name: 'last',
    label: 'Last success',
    show: ({ last_success_at }) => html`<${Time} at=${last_success_at} />`,
  },
  { name: 'next', label: 'Next', show: ({ next_at }) => html`<${Time} at=${next_at} />` },
]

/**
 * @param {Schedule} schedule
 * @param {() => void} onChange
 */
function setSchedule({ job, interval, enabled, mode }, onChange) {
  const name = jobs.find((one) => one === job)
  if (!name) return
  askReason({
    action: `Schedule ${toWords(job)}`,
    needsReason: false,
    explanation: 'The next run starts one interval from now.',
    fields: [
      {
        name: 'interval',
        label: 'Interval',
        value: interval,
        note: 'A number with its unit (ms, s, m, h or d), such as 15m or 1h.',
      },
      { name: 'mode', label: 'Starts', kind: 'select', value: mode, options: ['run', 'plan'] },
      {
        name: 'enabled',
        label: 'By itself',
        kind: 'select',
        options: ['on', 'off'],
        value: enabled ? 'on' : 'off',
      },
    ],
    act: async (answers) => {
      await api.put('/v1/maintenance/schedules/{job}', {
        path: { job: name },
        body: {
          interval: answers['interval'] ?? '',
          mode: answers['mode'] === 'plan' ? 'plan' : 'run',
          enabled: answers['enabled'] === 'on',
        },
      })
      notify(`The schedule of ${toWords(job)} is changed.`)
      onChange()
    },
  })
}
