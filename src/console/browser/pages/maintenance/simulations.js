import { useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { describeProblem } from '../../api/problem.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { Field, toOptions } from '../../parts/fields.js'
import { Panel } from '../../parts/panel.js'
import { recordTypes } from '../../parts/record-types.js'
import { navigate, query, toPath } from '../../router.js'
import { Runs } from './runs.js'

/** @import { NewSimulation } from '../../api/types.d.ts' */

const comparisons = [
  { value: 'half_life', label: 'half-lives of a type' },
  { value: 'max_records', label: 'budgets by records' },
  { value: 'max_bytes', label: 'budgets by bytes' },
]

/** @type {Readonly<Record<string, { usual: string, note: string }>>} */
const values = {
  half_life: { usual: '1d 3d 7d 14d 30d 60d 90d', note: 'Half-lives with s, m, h or d.' },
  max_records: { usual: '100 1000 10000 100000', note: 'Numbers of records that a scope may hold.' },
  max_bytes: { usual: '100000 1000000 10000000', note: 'Numbers of bytes that a scope may hold.' },
}

/** Simulates other half-lives or budgets with the recorded lives of the records. */
export function View() {
  return html`${may('maintenance:run') && html`<${Panel} title="What would have been forgotten?"><${SimulationForm} /><//>`}
    <h2>Earlier simulations</h2>
    <${Runs} job="simulation" />`
}

function SimulationForm() {
  const [compared, setCompared] = useState(query.peek().get('compare') ?? 'half_life')
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const { usual, note } = values[compared] ?? { usual: '', note: '' }
  /** @param {SubmitEvent} event */
  async function simulate(event) {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const read = (/** @type {string} */ name) => String(given.get(name) ?? '').trim()
    try {
      const body = describeSimulation({
        compared,
        type: read('type'),
        values: read('values'),
        over: read('over'),
      })
      const scope = read('scope')
      const run = await api.post('/v1/maintenance/simulations', {
        body: scope === '' ? body : { ...body, scope },
      })
      navigate(toPath(['maintenance', 'runs', run.id]))
    } catch (error) {
      setProblem(describeProblem(error))
    }
  }
  return html`<form class="settings" onSubmit=${simulate}>
    <${Field} label="Compare" value=${compared} options=${comparisons} onChange=${(/** @type {Event & { currentTarget: HTMLSelectElement }} */ { currentTarget }) => setCompared(currentTarget.value)} />
    ${compared === 'half_life' && html`<${Field} label="Type" name="type" initial=${query.peek().get('type') ?? 'episodic'} options=${toOptions(recordTypes)} />`}
    <${Field} key=${compared} label="Values" name="values" initial=${query.peek().get('values') ?? usual} note=${note} required autocomplete="off" />
    <${Field} label="Over the last" name="over" initial="30d" note="From 1h to 365d." required autocomplete="off" />
    <${Field} label="Scope" name="scope" autocomplete="off" placeholder="all scopes" maxlength="256" />
    <div class="settings-end"><button type="submit" class="primary">Simulate</button>${problem !== undefined && html`<p role="alert" class="problem">${problem}</p>`}</div>
  </form>`
}

/** @type {Readonly<Record<string, number>>} */
const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * @param {{ compared: string, type: string, values: string, over: string }} given
 * @returns {NewSimulation}
 */
function describeSimulation({ compared, type: name, values: text, over }) {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const type = recordTypes.find((one) => one === name) ?? 'episodic'
  if (compared === 'half_life') return { over, half_life: { type, seconds: parts.map(readDuration) } }
  return { over, budget: { [compared]: parts.map(readNumber) } }
}

/** @param {string} part */
function readDuration(part) {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(part) ?? []
  if (amount === undefined)
    throw new Error(`“${part}” is no time: write a number and s, m, h or d, such as 12h.`)
  return Math.round(Number(amount) * (seconds[unit] ?? 1))
}

/** @param {string} part */
function readNumber(part) {
  if (!/^\d+$/.test(part)) throw new Error(`“${part}” is no number.`)
  return Number(part)
}
