import { html } from '../../html.js'
import { formatCount } from '../../parts/numbers.js'

/** @import { MaintenanceRun } from '../../api/types.d.ts' */

/** How far a run is. @param {{ run: MaintenanceRun, isLost?: boolean | undefined }} properties */
export function Progress({ run, isLost = false }) {
  const { done, total } = run.progress
  const isOver = run.finished_at !== undefined
  const most = total ?? (isOver ? done : undefined)
  const part = run.status === 'succeeded' ? most : done
  const text =
    run.status === 'queued'
      ? 'waits for a worker'
      : total === undefined || isOver
        ? formatCount(done)
        : `${formatCount(done)} of ${formatCount(total)}`
  return html`<span class="progress">
    <progress aria-label=${`Progress of ${run.job}`} max=${most === undefined ? undefined : most || 1} value=${most === 0 ? 1 : most === undefined ? undefined : part}></progress>
    <span class="progress-text">${text}${isLost && !isOver && ', connection lost, trying again'}</span>
  </span>`
}
