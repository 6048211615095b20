import { html } from '../../html.js'
import { formatCount } from '../../parts/numbers.js'

/** @import { MaintenanceRun } from '../../api/types.d.ts' */

/** How far a run is. @param {{ run: MaintenanceRun, isLost?: boolean | undefined }} properties */
export function Progress({ run, isLost = false }) {
  const { done, total } = run.progress
  const isOver = run.finished_at !== undefined
  const most = total ?? (isOver ? done : undefined)
  const { max, value } = fillBar(run.status === 'succeeded' ? most : done, most)
  return html`<span class="progress">
    <progress aria-label=${`Progress of ${run.job}`} max=${max} value=${value}></progress>
    <span class="progress-text">${describeProgress(run, isOver)}${isLost && !isOver && ', connection lost, trying again'}</span>
  </span>`
}

/** Work without an end has no value, and no work at all is done. @param {number | undefined} part @param {number | undefined} most */
function fillBar(part, most) {
  if (most === undefined) return { max: undefined, value: undefined }
  return most === 0 ? { max: 1, value: 1 } : { max: most, value: part }
}

/** @param {MaintenanceRun} run @param {boolean} isOver */
function describeProgress({ status, progress: { done, total } }, isOver) {
  if (status === 'queued') return 'waits for a worker'
  return total === undefined || isOver ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`
}
