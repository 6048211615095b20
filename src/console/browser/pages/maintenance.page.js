import { html } from '../html.js'
import { Lazy } from '../parts/lazy.js'
import { PageHead } from '../parts/panel.js'
import { Empty } from '../parts/states.js'
import { toPath } from '../router.js'

/** @typedef {{ name: string, title: string, load: () => Promise<any>, loadOne?: () => Promise<any> }} Part `loadOne` shows one of its list */

const runs = () => import('./maintenance/runs.js')

/** The first one is at /console/maintenance. @type {readonly Part[]} */
const parts = [
  { name: 'runs', title: 'Runs', load: runs, loadOne: () => import('./maintenance/run-view.js') },
  {
    name: 'plans',
    title: 'Plans',
    load: () => import('./maintenance/plans/plans.js'),
    loadOne: () => import('./maintenance/plans/plan-view.js'),
  },
  { name: 'schedules', title: 'Schedules', load: () => import('./maintenance/schedules.js') },
  {
    name: 'policies',
    title: 'Policies and budgets',
    load: () => import('./maintenance/policies/policies.js'),
  },
  { name: 'simulations', title: 'Simulations', load: () => import('./maintenance/simulations.js') },
]
const loadStart = () => import('./maintenance/start-form.js')

/**
 * Runs and plans of jobs, which change many records at once, and the settings that they follow.
 * @param {{ rest: readonly string[] }} properties
 */
export function View({ rest: [name = 'runs', id] }) {
  const part = parts.find((one) => one.name === name)
  const load = id === undefined ? part?.load : part?.loadOne
  return html`<${PageHead} title="Maintenance" />
    <div class="stack">
      <ul class="tabs" aria-label="Parts of the maintenance">
        ${parts.map((one) => html`<li key=${one.name}><a href=${toPath(one.name === 'runs' ? ['maintenance'] : ['maintenance', one.name])} aria-current=${one === part ? 'page' : undefined}>${one.title}</a></li>`)}
      </ul>
      ${part?.loadOne && html`<${Lazy} key="start" load=${loadStart} />`}
      ${load ? html`<${Lazy} key=${`${name} ${id}`} load=${load} id=${id} />` : html`<${Empty} title="Not found">This part does not exist. Choose one above.<//>`}
    </div>`
}
