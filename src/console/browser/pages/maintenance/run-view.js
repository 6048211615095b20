import { html } from '../../html.js'
import { Lazy } from '../../parts/lazy.js'
import { formatCount, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { RecordId } from '../../parts/record-id.js'
import { RunStatus } from '../../parts/run-tags.js'
import { Failure, Loading } from '../../parts/states.js'
import { formatDuration, Time } from '../../parts/time.js'
import { toPath } from '../../router.js'
import { Progress } from './progress.js'
import { RunActions } from './run-actions.js'
import { RunChanges } from './run-changes.js'
import { useRun } from './use-run.js'

/** @import { MaintenanceRun } from '../../api/types.d.ts' */

const loadCurve = () => import('./simulation-curve.js')

/** One run, live until it ends. @param {{ id: string }} properties */
export function View({ id }) {
  const { run, error, isLost } = useRun(id)
  if (error !== undefined) return html`<${Failure} error=${error} />`
  if (!run) return html`<${Loading} lines=${10} />`
  const aside = html`<div class="row"><span role="status"><${RunStatus} status=${run.status} /></span><${RunActions} run=${run} /></div>`
  return html`<${Panel} title=${`${run.dry_run ? 'Dry run' : 'Run'} of ${toWords(run.job)}`} aside=${aside}>
      <${Progress} run=${run} isLost=${isLost} />
      ${run.error !== undefined && html`<p class=${run.status === 'failed' ? 'problem' : 'note'}>${run.error}</p>`}
      <${Facts} run=${run} />
      <${Stats} stats=${run.stats} />
    <//>
    ${run.job === 'simulation' ? html`<${Lazy} load=${loadCurve} run=${run} />` : html`<${RunChanges} run=${run} />`}`
}

/** @param {{ run: MaintenanceRun }} properties */
function Facts({ run }) {
  const { options, started_at, finished_at } = run
  const { plan_id, run_id, max_sensitivity: _, ...others } = options
  const entries = /** @type {[string, unknown][]} */ ([
    ['Scope', run.scope === undefined ? 'all' : html`<bdi>${run.scope}</bdi>`],
    [
      'Started',
      html`${run.trigger === 'manual' ? 'by a request' : 'by its schedule'}, <${Time} at=${run.created_at} />`,
    ],
    ['Took', started_at && finished_at && formatTaken(Date.parse(finished_at) - Date.parse(started_at))],
    [
      'Plan',
      typeof plan_id === 'string' &&
        html`<a href=${toPath(['maintenance', 'plans', plan_id])}>the plan that it applies</a>`,
    ],
    [
      'Takes back',
      typeof run_id === 'string' &&
        html`<a href=${toPath(['maintenance', 'runs', run_id])}>an earlier run</a>`,
    ],
    ['Options', Object.keys(others).length > 0 && html`<code>${JSON.stringify(others)}</code>`],
    ['Id', html`<${RecordId} id=${run.id} isLink=${false} />`],
  ])
  return html`<dl class="facts">${entries.map(([name, value]) => value && html`<dt key=${`${name}?`}>${name}</dt><dd key=${name}>${value}</dd>`)}</dl>`
}

/** @param {number} ms */
function formatTaken(ms) {
  return ms < 1_000 ? `${ms} ms` : formatDuration(ms / 1_000)
}

/** @param {{ stats: MaintenanceRun['stats'] }} properties */
function Stats({ stats: { curve: _, ...counts } }) {
  const entries = Object.entries(counts)
  if (entries.length === 0) return null
  return html`<dl class="stats" aria-label="Counts of the run">${entries.map(([name, count]) => html`<div key=${name}><dt>${toWords(name)}</dt><dd>${formatCount(Number(count))}</dd></div>`)}</dl>`
}
