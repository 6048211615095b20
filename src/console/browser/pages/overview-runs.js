import { api } from '../api/client.js'
import { html } from '../html.js'
import { nameCount, toWords } from '../parts/numbers.js'
import { Panel } from '../parts/panel.js'
import { RunStatus } from '../parts/run-tags.js'
import { showLoaded } from '../parts/states.js'
import { formatDuration, Time } from '../parts/time.js'
import { useRequest } from '../parts/use-request.js'
import { toPath } from '../router.js'

/** @import { MaintenanceRun, Schedule } from '../api/types.d.ts' */

const runsShown = 6

/** The queued and running jobs, and the last runs. */
export function RunsPanel() {
  const request = useRequest(async (signal) => {
    const list = (/** @type {MaintenanceRun['status']} */ status) =>
      api.get('/v1/maintenance/runs', { query: { status, limit: 100 }, signal })
    const [last, queued, running, schedules] = await Promise.all([
      api.get('/v1/maintenance/runs', { query: { limit: runsShown }, signal }),
      list('queued'),
      list('running'),
      api.get('/v1/maintenance/schedules', { signal }),
    ])
    return {
      last: last.items,
      queued: countAtLeast(queued),
      running: countAtLeast(running),
      schedules: schedules.items,
    }
  }, [])
  const aside =
    request.data &&
    html`<span class="note">${request.data.queued} queued, ${request.data.running} running</span>`
  return html`<${Panel} title="Queue and last runs" size="broad" aside=${aside}>
    ${showLoaded(request, runsShown, (data) => html`<${Runs} runs=${data.last} schedules=${data.schedules} />`)}
  <//>`
}

/** @param {{ items: readonly unknown[], next_cursor?: string }} page */
function countAtLeast({ items, next_cursor }) {
  return `${items.length}${next_cursor === undefined ? '' : '+'}`
}

/** @param {{ runs: readonly MaintenanceRun[], schedules: readonly Schedule[] }} properties */
function Runs({ runs, schedules }) {
  const next = schedules
    .filter(({ enabled, next_at }) => enabled && next_at !== undefined)
    .sort((one, other) => Date.parse(one.next_at ?? '') - Date.parse(other.next_at ?? ''))
    .slice(0, 4)
  return html`${runs.length === 0 ? html`<p class="note">No job has run yet.</p>` : html`<ul class="runs">${runs.map((run) => html`<li key=${run.id}><${Run} run=${run} /></li>`)}</ul>`}
    ${next.length > 0 && html`<p class="note">Next: ${next.map(({ job, next_at }, index) => html`<span key=${job}>${index > 0 && ', '}${toWords(job)} <${Time} at=${next_at} /></span>`)}</p>`}`
}

/** @param {{ run: MaintenanceRun }} properties */
function Run({
  run: { id, job, status, dry_run, trigger, created_at, started_at, finished_at, progress, error },
}) {
  const seconds =
    started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1_000 : undefined
  return html`<a href=${toPath(['maintenance', 'runs', id])}>${toWords(job)}</a>
    <${RunStatus} status=${status} />
    <span class="note">${trigger}${dry_run ? ', dry run' : ''}, <${Time} at=${created_at} />${seconds !== undefined && ` in ${seconds < 1 ? 'under a second' : formatDuration(seconds)}`}${progress.done > 0 && `, ${nameCount(progress.done, 'record')}`}</span>
    ${error !== undefined && html`<span class="problem content">${error}</span>`}`
}
