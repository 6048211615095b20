import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { Field, toOptions } from '../../parts/fields.js'
import { formatCount, toWords } from '../../parts/numbers.js'
import { RunStatus } from '../../parts/run-tags.js'
import { Empty, showLoaded } from '../../parts/states.js'
import { Pager, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery, toPath } from '../../router.js'
import { listedJobs } from './jobs.js'
import { Progress } from './progress.js'
import { RunScope } from './run-scope.js'
import { useRun } from './use-run.js'

/** @import { MaintenanceRun } from '../../api/types.d.ts' */
/** @typedef {Event & { currentTarget: HTMLSelectElement }} Changed */

const statuses = /** @type {const} */ (['queued', 'running', 'succeeded', 'failed', 'cancelled'])
/** A browser opens six connections to one server; the others must stay free for requests. */
const maxFollowed = 3
const pageSize = 25

/** The runs of every job. */
export function View() {
  return html`<${Runs} />`
}

/** @template {string} T @param {readonly T[]} allowed @param {string} name @returns {T | undefined} */
function chosen(allowed, name) {
  return allowed.find((one) => one === query.value.get(name))
}

/** The runs of all jobs, or of one, the newest first. @param {{ job?: typeof listedJobs[number] }} properties */
export function Runs({ job: only }) {
  const cursor = query.value.get('cursor') ?? undefined
  const job = only ?? chosen(listedJobs, 'of')
  const status = chosen(statuses, 'status')
  const request = useRequest(
    (signal) => api.get('/v1/maintenance/runs', { query: { job, status, cursor, limit: pageSize }, signal }),
    [job, status, cursor],
  )
  return html`<div class="stack">
    ${only === undefined && html`<${Filters} job=${job} status=${status} />`}
    ${showLoaded(request, 10, (data) => html`<${Rows} runs=${data.items} job=${only} isBusy=${request.isLoading} onEnd=${request.reload} /><${Pager} next=${data.next_cursor} />`)}
  </div>`
}

/** @param {{ job: string | undefined, status: string | undefined }} properties */
function Filters({ job, status }) {
  const choose = (/** @type {Changed} */ { currentTarget: { name, value } }) =>
    setQuery({ [name]: value, cursor: undefined })
  return html`<div class="narrow">
    <${Field} label="Kind of run" name="of" value=${job ?? ''} options=${toOptions(listedJobs, 'all')} onChange=${choose} />
    <${Field} label="Status" name="status" value=${status ?? ''} options=${toOptions(statuses, 'all')} onChange=${choose} />
  </div>`
}

/** @param {{ runs: readonly MaintenanceRun[], job: string | undefined, isBusy: boolean, onEnd: () => void }} properties */
function Rows({ runs, job, isBusy, onEnd }) {
  if (runs.length === 0)
    return html`<${Empty} title=${job === 'simulation' ? 'No simulations' : 'No runs'}>${describeTimes(job)}<//>`
  const active = runs.filter(({ finished_at }) => finished_at === undefined).slice(0, maxFollowed)
  const columns = [
    {
      name: 'job',
      label: 'Run',
      show: (/** @type {MaintenanceRun} */ { id, job, dry_run }) =>
        html`<a href=${toPath(['maintenance', 'runs', id])}>${toWords(job)}</a>${dry_run && html` <span class="tag">dry run</span>`}`,
    },
    {
      name: 'status',
      label: 'Status',
      show: (/** @type {MaintenanceRun} */ { status }) => html`<${RunStatus} status=${status} />`,
    },
    {
      name: 'progress',
      label: 'Progress',
      show: (/** @type {MaintenanceRun} */ run) =>
        active.includes(run) ? html`<${Live} run=${run} onEnd=${onEnd} />` : html`<${Progress} run=${run} />`,
    },
    {
      name: 'scope',
      label: 'Scope',
      show: (/** @type {MaintenanceRun} */ { scope }) => html`<${RunScope} scope=${scope} />`,
    },
    {
      name: 'created',
      label: 'Started',
      show: (/** @type {MaintenanceRun} */ { created_at }) => html`<${Time} at=${created_at} />`,
    },
    { name: 'counts', label: 'Counts', isMain: true, show: summarise },
  ]
  return html`<${Table} caption="Runs" columns=${columns} rows=${runs} keyOf=${(/** @type {MaintenanceRun} */ { id }) => id} isBusy=${isBusy} />`
}

/** @param {string | undefined} job */
function describeTimes(job) {
  const canStart = may('maintenance:run')
  if (job === 'simulation')
    return canStart ? 'Start one above.' : 'This key may not start one: it lacks maintenance:run.'
  return canStart
    ? 'Jobs run by their schedules, or when you start one above.'
    : 'Jobs run by their schedules.'
}

/** @param {{ run: MaintenanceRun, onEnd: () => void }} properties */
function Live({ run, onEnd }) {
  const { run: now = run, isLost } = useRun(run.id)
  useEffect(() => {
    if (now.finished_at !== undefined) onEnd()
  }, [now.finished_at])
  return html`<${Progress} run=${now} isLost=${isLost} />`
}

/** @param {MaintenanceRun} run */
function summarise({ stats: { curve: _, ...counts } }) {
  return Object.entries(counts)
    .filter(([, count]) => Number(count) > 0)
    .map(([name, count]) => {
      const figure = formatCount(Number(count))
      return name.endsWith('_ms')
        ? `${toWords(name.slice(0, -3))} ${figure} ms`
        : `${toWords(name)} ${figure}`
    })
    .join(', ')
}
