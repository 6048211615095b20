import { useEffect, useState } from 'preact/hooks'
import { api } from '../../../api/client.js'
import { may } from '../../../api/session.js'
import { html } from '../../../html.js'
import { notifyProblem } from '../../../parts/notices.js'
import { nameCount, toWords } from '../../../parts/numbers.js'
import { Panel } from '../../../parts/panel.js'
import { askReason } from '../../../parts/reason-dialog.js'
import { RunStatus } from '../../../parts/run-tags.js'
import { Failure, Loading } from '../../../parts/states.js'
import { Time } from '../../../parts/time.js'
import { useRequest } from '../../../parts/use-request.js'
import { navigate, toPath } from '../../../router.js'
import { Progress } from '../progress.js'
import { useRun } from '../use-run.js'
import { PlanApplications } from './plan-applications.js'
import { PlanChanges } from './plan-changes.js'
import { PlanGroups } from './plan-groups.js'
import { dropSelection, isNothing, keepSelection, readSelection, toApplication } from './plan-selection.js'

/** @import { Plan } from '../../../api/types.d.ts' */
/** @import { Selection } from './plan-selection.js' */

/** The changes that a job would make, and the choice among them. @param {{ id: string }} properties */
export function View({ id }) {
  const {
    data: plan,
    error,
    reload,
  } = useRequest((signal) => api.get('/v1/maintenance/plans/{id}', { path: { id }, signal }), [id])
  const [selection, select] = useState(() => readSelection(id))
  const setSelection = (/** @type {Selection} */ selection) => {
    keepSelection(id, selection)
    select(selection)
  }
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  if (!plan) return html`<${Loading} lines=${10} />`
  const aside = html`<span role="status"><${RunStatus} status=${plan.status} /></span>`
  return html`<${Panel} title=${`Plan of ${toWords(plan.job)}`} aside=${aside}>
      <p class="note">${plan.scope === undefined ? 'For all scopes' : html`For the scope <bdi>${plan.scope}</bdi>`}, made <${Time} at=${plan.created_at} />, expires <${Time} at=${plan.expires_at} />.${explain(plan)}</p>
      ${plan.error !== undefined && html`<p class="problem">${plan.error}</p>`}
      ${plan.status === 'preparing' && html`<${Preparation} id=${id} onEnd=${reload} />`}
      ${plan.digest !== undefined && html`<${Choice} plan=${plan} selection=${selection} setSelection=${setSelection} />`}
    <//>
    ${plan.digest !== undefined && html`<${PlanApplications} plan=${plan} /><${PlanChanges} plan=${plan} selection=${selection} setSelection=${setSelection} />`}`
}

/** @param {Plan} plan */
function explain({ status }) {
  if (status === 'stale') return ' Records have moved since: those are left alone.'
  if (status === 'expired') return ' It is too old to be applied: make a new one.'
  return ''
}

/** @param {{ id: string, onEnd: () => void }} properties */
function Preparation({ id, onEnd }) {
  const { run, isLost } = useRun(id)
  useEffect(() => {
    if (run?.finished_at !== undefined) onEnd()
  }, [run?.finished_at])
  return run ? html`<${Progress} run=${run} isLost=${isLost} />` : html`<${Loading} lines=${1} />`
}

/** @param {{ plan: Plan, selection: Selection, setSelection: (selection: Selection) => void }} properties */
function Choice({ plan, selection, setSelection }) {
  const [isBusy, setBusy] = useState(false)
  const actions = Object.keys(plan.counts)
  const total = Object.values(plan.counts).reduce((sum, count) => sum + count, 0)
  const isOpen = plan.status === 'ready' || plan.status === 'stale'
  async function apply() {
    setBusy(true)
    try {
      const body = { digest: plan.digest ?? '', ...toApplication(selection) }
      const run = await api.post('/v1/maintenance/plans/{id}/apply', { path: { id: plan.id }, body })
      dropSelection(plan.id)
      navigate(toPath(['maintenance', 'runs', run.id]))
    } catch (error) {
      notifyProblem(error)
      setBusy(false)
    }
  }
  if (total === 0)
    return html`<p>Nothing would change.</p>${may('maintenance:run') && html`<${Drop} id=${plan.id} />`}`
  return html`<${PlanGroups} plan=${plan} selection=${selection} setSelection=${setSelection} />
    ${
      may('maintenance:run') &&
      html`<div class="row">
        <button type="button" class="primary" disabled=${isBusy || !isOpen || isNothing(selection, actions)} onClick=${apply}>Apply</button>
        <span role="status">${isOpen && describe(selection, total)}</span>
        <${Drop} id=${plan.id} />
      </div>`
    }`
}

/** @param {Selection} selection @param {number} total */
function describe({ mode, names }, total) {
  if (mode === 'except' && names.size === 0)
    return total === 1 ? 'The one change' : `All ${nameCount(total, 'change')}`
  const isId = (/** @type {string} */ name) => name.includes('-')
  const records = [...names].filter(isId).length
  const kinds = names.size - records
  const parts = [
    ...(kinds === 0 ? [] : [nameCount(kinds, 'kind of change', 'kinds of change')]),
    ...(records === 0 ? [] : [nameCount(records, 'record')]),
  ].join(' and ')
  return mode === 'only' ? `Only ${parts || 'nothing yet'}` : `All but ${parts}`
}

/** @param {{ id: string }} properties */
function Drop({ id }) {
  const drop = () =>
    askReason({
      action: 'Drop',
      needsReason: false,
      isDangerous: true,
      explanation: 'Deletes the plan with its list of changes. Applied changes stay.',
      act: async () => {
        await api.delete('/v1/maintenance/plans/{id}', { path: { id } })
        navigate(toPath(['maintenance', 'plans']))
      },
    })
  return html`<button type="button" class="quiet" onClick=${drop}>Drop</button>`
}
