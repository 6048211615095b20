import { useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { describeProblem } from '../../api/problem.js'
import { caller, may } from '../../api/session.js'
import { html } from '../../html.js'
import { Checkbox, Field, toOptions } from '../../parts/fields.js'
import { askReason } from '../../parts/reason-dialog.js'
import { navigate, toPath } from '../../router.js'
import { jobs, unscoped } from './jobs.js'

/** @import { Job } from './jobs.js' */
/** @typedef {Event & { currentTarget: HTMLInputElement }} Changed */

/** A job can be told so much here. @type {Readonly<Partial<Record<Job, { name: 'ask_model' | 'rejudge', label: string }>>>} */
const options = {
  consolidate: { name: 'ask_model', label: 'Ask the chat model in a dry run or plan too' },
  dream: { name: 'ask_model', label: 'Ask the chat model in a dry run or plan too' },
  refresh_importance: { name: 'rejudge', label: 'Judge the base importance of older records too' },
}

/** @type {Readonly<Record<Job, string>>} */
const purposes = {
  decay: 'Forgets records that have faded away or exceed a budget, and promotes records that are used.',
  consolidate: 'Makes facts, skills and plans from episodes.',
  dream: 'Merges, checks and tidies the store.',
  compress: 'Stores the vectors of fading records with fewer bits.',
  embed: 'Computes the vectors that are missing.',
  purge: 'Deletes forgotten records that can no longer be restored.',
  refresh_importance: 'Computes the importance of all records again.',
}

/** Starts a job: at once, as a dry run, or as a plan. Absent for a key that may not. */
export function View() {
  const [job, setJob] = useState(/** @type {Job} */ ('decay'))
  const [scope, setScope] = useState('')
  const [isTold, setTold] = useState(false)
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const [isBusy, setBusy] = useState(false)
  if (!may('maintenance:run'))
    return html`<p class="note">This key may look at runs, but not start them: it lacks <code>maintenance:run</code>.</p>`

  const option = options[job]
  const isBound = (caller.value?.scopes.length ?? 0) > 0
  const body = {
    job,
    ...(scope.trim() === '' || unscoped.has(job) ? {} : { scope: scope.trim() }),
    ...(option && isTold ? { options: { [option.name]: true } } : {}),
  }
  /** @param {() => Promise<string>} request answers the address of what was started */
  async function start(request) {
    setBusy(true)
    setProblem(undefined)
    try {
      navigate(await request())
    } catch (error) {
      setProblem(describeProblem(error))
    }
    setBusy(false)
  }
  const run = (/** @type {boolean} */ dry_run) => async () => {
    const { id } = await api.post('/v1/maintenance/runs', { body: { ...body, dry_run } })
    return toPath(['maintenance', 'runs', id])
  }
  async function plan() {
    if (job === 'embed') throw new Error('A run of embed only computes vectors: there is nothing to plan.')
    const { id } = await api.post('/v1/maintenance/plans', { body: { ...body, job } })
    return toPath(['maintenance', 'plans', id])
  }
  const runNow = () => (job === 'purge' ? confirmPurge(run(false)) : start(run(false)))
  return html`<form class="start" onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault()
    if (job !== 'embed') start(plan)
  }}>
    <${Field} label="Job" value=${job} options=${toOptions(jobs)} onChange=${(/** @type {Changed} */ { currentTarget }) => setJob(/** @type {Job} */ (currentTarget.value))} />
    <${Field} label="Scope" value=${scope} autocomplete="off" maxlength="256" placeholder=${unscoped.has(job) ? 'works on all scopes' : 'all scopes'} disabled=${unscoped.has(job)} onInput=${(/** @type {Changed} */ { currentTarget }) => setScope(currentTarget.value)} />
    <div class="row start-buttons">
      <button type="submit" class="primary" disabled=${isBusy || job === 'embed'}>Plan</button>
      <button type="button" disabled=${isBusy} onClick=${() => start(run(true))}>Dry run</button>
      <button type="button" disabled=${isBusy || (isBound && unscoped.has(job))} onClick=${runNow}>Run</button>
    </div>
    <p class="note">${purposes[job]} A plan keeps the changes, to choose from and apply. A dry run only lists them. A run makes them.</p>
    ${option && html`<${Checkbox} label=${option.label} checked=${isTold} onChange=${(/** @type {Changed} */ { currentTarget }) => setTold(currentTarget.checked)} />`}
    ${problem !== undefined && html`<p role="alert" class="problem">${problem}</p>`}
  </form>`
}

/** @param {() => Promise<string>} request */
function confirmPurge(request) {
  askReason({
    action: 'Run',
    isDangerous: true,
    needsReason: false,
    explanation: 'A purge deletes forgotten records that can no longer be restored. It cannot be undone.',
    act: async () => navigate(await request()),
  })
}
