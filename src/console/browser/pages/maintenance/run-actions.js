import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { notify, notifyProblem } from '../../parts/notices.js'
import { toWords } from '../../parts/numbers.js'
import { askReason } from '../../parts/reason-dialog.js'
import { navigate, toPath } from '../../router.js'
import { isUndoable } from './jobs.js'

/** @import { MaintenanceRun } from '../../api/types.d.ts' */

/** The buttons that cancel a run or undo it. @param {{ run: MaintenanceRun }} properties */
export function RunActions({ run }) {
  if (!may('maintenance:run')) return null
  if (run.finished_at === undefined)
    return html`<button type="button" class="danger" onClick=${() => cancel(run.id)}>Cancel</button>`
  return isUndoable(run) && html`<button type="button" onClick=${() => undo(run)}>Undo</button>`
}

/** @param {string} id */
async function cancel(id) {
  try {
    const { status } = await api.post('/v1/maintenance/runs/{id}/cancel', { path: { id }, body: {} })
    notify(status === 'cancelled' ? 'Cancelled.' : 'It ends after its current batch.')
  } catch (error) {
    notifyProblem(error)
  }
}

/** @param {MaintenanceRun} run */
function undo({ id, job }) {
  askReason({
    action: 'Undo',
    explanation: `Takes back what this run of ${toWords(job)} did. A record that was changed since stays as it is. The undo is a run of its own and can be undone too.`,
    act: async (_, because) => {
      const started = await api.post('/v1/maintenance/runs/{id}/undo', {
        path: { id },
        body: { ...because, dry_run: false },
      })
      navigate(toPath(['maintenance', 'runs', started.id]))
    },
  })
}
