import { useRef, useState } from 'preact/hooks'
import { api } from '../../../api/client.js'
import { describeProblem } from '../../../api/problem.js'
import { may } from '../../../api/session.js'
import { html } from '../../../html.js'
import { Field, toOptions } from '../../../parts/fields.js'
import { notify } from '../../../parts/notices.js'
import { formatScore, toWords } from '../../../parts/numbers.js'
import { Panel } from '../../../parts/panel.js'
import { formatDuration } from '../../../parts/time.js'
import { computeSalience, findForgetting } from '../../../plots/fading.js'
import { Lines } from '../../../plots/lines.js'
import { navigate, toPath } from '../../../router.js'
import { seesAll } from '../jobs.js'

/** @import { Policy } from '../../../api/types.d.ts' */

const day = 86_400
const curves = /** @type {const} */ (['exponential', 'linear', 'custom', 'huber', 'elastic'])
const deletions = /** @type {const} */ (['auto_prune', 'manual_only', 'never'])
const points = 80

/** To a tenth of a second, without the digits of a division. @param {number} seconds */
const inDays = (seconds) => String(Number((seconds / day).toFixed(6)))

/**
 * The policy of a type: its curve is drawn again with each change, before anything is saved.
 * @param {{ policy: Policy, onChange: () => void }} properties
 */
export function View({ policy, onChange }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const [draft, setDraft] = useState(policy)
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const { type, decay, deletion_policy } = policy
  const maySave = may('admin') && seesAll()
  const choice = { decay: draft.decay, deletion_policy: draft.deletion_policy }
  const read = () => {
    if (form.current?.checkValidity()) setDraft(readPolicy(policy, new FormData(form.current)))
  }
  /** @param {() => Promise<void>} act */
  async function attempt(act) {
    setProblem(undefined)
    await act().catch((error) => setProblem(describeProblem(error)))
  }
  async function save() {
    await api.put('/v1/policies/{type}', { path: { type }, body: choice })
    notify(`New records of the type ${toWords(type)} fade like this from now on.`)
    onChange()
  }
  async function simulate() {
    const body = { over: '30d', policies: { [type]: choice } }
    const run = await api.post('/v1/maintenance/simulations', { body })
    navigate(toPath(['maintenance', 'runs', run.id]))
  }
  const number = { type: 'number', min: 0, step: 'any', required: true }
  return html`<${Panel} title=${`Policy of ${toWords(type)}`}>
    <form ref=${form} class="settings" onInput=${read} onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault()
      if (maySave) attempt(save)
    }}>
      <${Field} label="Curve" name="curve" initial=${decay.curve} options=${curves} />
      <${Field} label="Half-life in days" name="half" ...${number} min="0.00002" initial=${inDays(decay.half_life_seconds)} />
      <${Field} label="Floor" name="floor" ...${number} max="1" initial=${String(decay.min_salience)} />
      <${Field} label="Maximum age in days" name="age" ...${number} initial=${inDays(decay.max_age_seconds)} note="0 for none." />
      <${Field} label="Gain of a reinforcement" name="gain" ...${number} initial=${String(decay.reinforcement_gain)} />
      <${Field} label="Highest salience" name="cap" ...${number} required=${false} initial=${decay.max_salience === null ? '' : String(decay.max_salience)} note="Empty for none." />
      <${Field} label="Deletion" name="deletion" initial=${deletion_policy} options=${toOptions(deletions)} />
      <div class="settings-end">
        ${maySave && html`<button type="submit" class="primary">Save</button>`}
        ${may('maintenance:run') && html`<button type="button" onClick=${() => attempt(simulate)}>Simulate over 30 days</button>`}
        ${!maySave && html`<p class="note">To save it, a key needs <code>admin</code> and all scopes, and must read up to <code>hyper</code>.</p>`}
        ${problem !== undefined && html`<p role="alert" class="problem">${problem}</p>`}
      </div>
    </form>
    <${Preview} now=${policy} draft=${draft} />
  <//>`
}

/** @param {{ now: Policy, draft: Policy }} properties */
function Preview({ now, draft }) {
  const ends = [now, draft].map((policy) => findForgetting(policy) ?? 8 * policy.decay.half_life_seconds)
  const longest = Math.max(...ends) * 1.05
  const x = Array.from({ length: points }, (_, index) => (longest * index) / (points - 1))
  const computeLine = (/** @type {Policy} */ { decay }) => x.map((seconds) => computeSalience(decay, seconds))
  const end = findForgetting(draft)
  return html`<${Lines} name=${`Decay curve of ${toWords(now.type)}, now and as changed`} xLabel="time without a use" x=${x} formatX=${formatDuration} isDuration formatY=${formatScore}
      lines=${[
        { label: 'in force', colour: 'text-soft', values: computeLine(now), isDashed: true },
        { label: 'as changed', colour: 'accent', values: computeLine(draft) },
      ]} />
    <p class="note" role="status">${end === undefined ? 'A record without a use is kept.' : `A record of salience 1 without a use is forgotten after ${formatDuration(end)}.`}</p>`
}

/**
 * @param {Policy} policy
 * @param {FormData} given
 * @returns {Policy}
 */
function readPolicy({ type, decay, deletion_policy }, given) {
  const read = (/** @type {string} */ name) => Number(given.get(name))
  return {
    type,
    decay: {
      curve: curves.find((one) => one === given.get('curve')) ?? decay.curve,
      half_life_seconds: Math.max(1, Math.round(read('half') * day)),
      min_salience: read('floor'),
      max_age_seconds: Math.round(read('age') * day),
      reinforcement_gain: read('gain'),
      max_salience: given.get('cap') === '' ? null : read('cap'),
    },
    deletion_policy: deletions.find((one) => one === given.get('deletion')) ?? deletion_policy,
  }
}
