import { useRef, useState } from 'preact/hooks'
import { api } from '../../../api/client.js'
import { describeProblem } from '../../../api/problem.js'
import { may } from '../../../api/session.js'
import { html } from '../../../html.js'
import { Checkbox, Field } from '../../../parts/fields.js'
import { Lazy } from '../../../parts/lazy.js'
import { notify } from '../../../parts/notices.js'
import { toWords } from '../../../parts/numbers.js'
import { Panel } from '../../../parts/panel.js'
import { recordTypes } from '../../../parts/record-types.js'
import { Failure } from '../../../parts/states.js'
import { Progress } from '../progress.js'
import { useRun } from '../use-run.js'

/** @import { Budget } from '../../../api/types.d.ts' */

const protectable = /** @type {const} */ ([...recordTypes, 'procedural', 'codebase'])

const loadCurve = () => import('../simulation-curve.js')

/** The preview tries these parts of the limit. */
const parts = [0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2]

/**
 * Sets the budget of a scope, or of all that have none. The preview plays the last thirty days with limits around the given.
 * @param {{ budget: Partial<Budget>, onChange: () => void, onCancel: () => void }} properties
 */
export function BudgetForm({ budget, onChange, onCancel }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const [previewId, setPreviewId] = useState(/** @type {string | undefined} */ (undefined))
  const isNew = budget.mode === undefined
  /** @param {(choice: ReturnType<typeof readBudget>) => Promise<void>} act */
  async function attempt(act) {
    if (!form.current?.reportValidity()) return
    setProblem(undefined)
    await act(readBudget(new FormData(form.current))).catch((error) => setProblem(describeProblem(error)))
  }
  /** @param {ReturnType<typeof readBudget>} choice */
  async function save({ scope, measure, limit, ...others }) {
    const body = /** @type {import('../../../api/types.d.ts').Budget} */ ({ ...others, [measure]: limit })
    if (scope === '') await api.put('/v1/policies/budgets', { body })
    else await api.put('/v1/policies/budgets/{scope}', { path: { scope }, body })
    notify('The budget is set. The next run of decay forgets the records that exceed it.')
    onChange()
  }
  /** @param {ReturnType<typeof readBudget>} choice */
  async function preview({ scope, measure, limit }) {
    const limits = [...new Set(parts.map((part) => Math.round(part * limit)))]
    const body = { over: '30d', budget: { [measure]: limits }, ...(scope === '' ? {} : { scope }) }
    setPreviewId((await api.post('/v1/maintenance/simulations', { body })).id)
  }
  return html`<${Panel} title=${isNew ? 'New budget' : 'Budget'}>
    <form ref=${form} class="settings" onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault()
      attempt(save)
    }}>
      <${Field} label="Scope" name="scope" initial=${budget.scope ?? ''} readonly=${!isNew} autocomplete="off" maxlength="256" placeholder="every other scope" />
      <${Field} label="Measured in" name="measure" initial=${budget.max_bytes === undefined ? 'max_records' : 'max_bytes'} options=${[
        { value: 'max_records', label: 'records' },
        { value: 'max_bytes', label: 'bytes' },
      ]} />
      <${Field} label="May hold" name="limit" type="number" min="0" step="1" required initial=${String(budget.max_records ?? budget.max_bytes ?? 10_000)} />
      <${Field} label="Limit" name="mode" initial=${budget.mode ?? 'soft'} options=${['soft', 'hard']} note="Soft: a record younger than a day is not forgotten." />
      <fieldset class="protect"><legend class="note">Never forgotten for this budget</legend>
        ${protectable.map((name) => html`<${Checkbox} key=${name} label=${toWords(name)} name="protect" value=${name} defaultChecked=${budget.protect?.includes(name)} />`)}
      </fieldset>
      <div class="settings-end">
        <button type="submit" class="primary">Save</button>
        ${may('maintenance:run') && html`<button type="button" onClick=${() => attempt(preview)}>Preview</button>`}
        <button type="button" class="quiet" onClick=${onCancel}>Close</button>
        ${problem !== undefined && html`<p role="alert" class="problem">${problem}</p>`}
      </div>
    </form>
    ${previewId !== undefined && html`<${Preview} id=${previewId} />`}
  <//>`
}

/** @param {{ id: string }} properties */
function Preview({ id }) {
  const { run, error } = useRun(id)
  if (error !== undefined) return html`<${Failure} error=${error} />`
  if (run?.finished_at === undefined) return run ? html`<${Progress} run=${run} />` : null
  return html`<${Lazy} load=${loadCurve} run=${run} />`
}

/** @param {FormData} given */
function readBudget(given) {
  return {
    scope: String(given.get('scope')).trim(),
    measure: given.get('measure') === 'max_bytes' ? 'max_bytes' : 'max_records',
    limit: Number(given.get('limit')),
    protect: protectable.filter((name) => given.getAll('protect').includes(name)),
    mode: given.get('mode') === 'hard' ? 'hard' : 'soft',
  }
}
