import { api } from '../../api/client.js'
import { describeProblem } from '../../api/problem.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { notify, notifyProblem } from '../../parts/notices.js'
import { nameCount } from '../../parts/numbers.js'
import { askReason } from '../../parts/reason-dialog.js'
import { isRedacted } from '../../parts/record-text.js'
import { runEach } from '../../parts/use-records.js'

/** @import { Permission, SeenRecord } from '../../api/types.d.ts' */
/** @import { Because } from '../../parts/reason-dialog.js' */

/** @typedef {{ path: { id: string }, version?: number | undefined }} Target */

/** @typedef {{ action: string, done: string, permission: Permission, isDangerous?: boolean, run: (target: Target, because: Because) => Promise<unknown> }} BulkAction */

/** @type {readonly BulkAction[]} */
const actions = [
  {
    action: 'Pin',
    done: 'Pinned',
    permission: 'lifecycle:write',
    run: (target, body) => api.post('/v1/records/{id}/pin', { ...target, body }),
  },
  {
    action: 'Reinforce',
    done: 'Reinforced',
    permission: 'lifecycle:write',
    run: (target, body) => api.post('/v1/records/{id}/reinforce', { ...target, body }),
  },
  {
    action: 'Forget',
    done: 'Forgotten',
    permission: 'records:write',
    isDangerous: true,
    run: (target, query) => api.delete('/v1/records/{id}', { ...target, query }),
  },
  {
    action: 'Restore',
    done: 'Restored',
    permission: 'lifecycle:write',
    run: (target, body) => api.post('/v1/records/{id}/restore', { ...target, body }),
  },
]

/**
 * The actions on all selected records; none while they are loaded again, because their versions may be old.
 * @param {{ selected: readonly SeenRecord[], isBusy: boolean, onDone: () => void }} properties
 */
export function BulkActions({ selected, isBusy, onDone }) {
  return html`<div class="row" role="group" aria-label="With the selected records">
    <span class="note bulk-count" aria-live="polite">${selected.length === 0 ? 'None selected' : `${selected.length} selected`}</span>
    ${actions
      .filter(({ permission }) => may(permission))
      .map(
        (action) =>
          html`<button key=${action.action} type="button" class=${action.isDangerous ? 'danger' : undefined} disabled=${isBusy || selected.length === 0} onClick=${() => ask(action, selected, onDone)}>${action.action}</button>`,
      )}
  </div>`
}

/**
 * @param {BulkAction} action
 * @param {readonly SeenRecord[]} records
 * @param {() => void} onDone
 */
async function ask({ action, done, isDangerous = false, run }, records, onDone) {
  const explanation = `${action} ${nameCount(records.length, 'record')}. Each gets an entry in its log with this reason.`
  await askReason({
    action,
    explanation,
    isDangerous,
    act: async (_answers, because) => {
      const failed = await runAll(records, (record) => run(describeTarget(record), because))
      const count = records.length - failed.length
      if (count === 0) throw failed[0]
      notify(`${done}: ${nameCount(count, 'record')}.`)
      if (failed.length > 0)
        notifyProblem(
          new Error(`${nameCount(failed.length, 'record')} left as before. ${describeProblem(failed[0])}`),
        )
      onDone()
    },
  })
}

/** @param {SeenRecord} record @returns {Target} */
function describeTarget(record) {
  return { path: { id: record.id }, version: isRedacted(record) ? undefined : record.version }
}

/**
 * Runs it for each record and returns the failures: one that cannot take part does not stop the others.
 * @param {readonly SeenRecord[]} records
 * @param {(record: SeenRecord) => Promise<unknown>} run
 * @returns {Promise<unknown[]>}
 */
async function runAll(records, run) {
  /** @type {unknown[]} */
  const failed = []
  await runEach(records, (record) => run(record).catch((error) => failed.push(error)))
  return failed
}
