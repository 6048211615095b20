import { describeProblem, Problem } from '../api/problem.js'
import { html } from '../html.js'
import { query, setQuery } from '../router.js'

/** @import { ComponentChildren } from 'preact' */
/** @import { Requested } from './use-request.js' */

/** Holds the place of what is loading, so that nothing jumps when it arrives. @param {{ lines?: number }} properties */
export function Loading({ lines = 6 }) {
  return html`<div class="loading" role="status" aria-label="Loading">
    ${Array.from({ length: lines }, (_, index) => html`<span key=${index} class="bone"></span>`)}
  </div>`
}

/** Says that there is nothing, and what to do about it. @param {{ title: string, children?: ComponentChildren }} properties */
export function Empty({ title, children }) {
  return html`<div class="state"><p class="state-title">${title}</p>${children !== undefined && html`<p>${children}</p>`}</div>`
}

/** The parameters of the address that say which page of a list is shown. */
const positions = ['cursor', 'changes', 'budgets']

/** @param {unknown} error */
function isOfPosition(error) {
  if (!(error instanceof Problem) || !positions.some((name) => query.value.has(name))) return false
  return error.code === 'invalid_cursor' || error.faults.some(({ pointer }) => pointer === '?cursor')
}

const openFirstPage = () => setQuery(Object.fromEntries(positions.map((name) => [name, undefined])))

/** Says what went wrong in the words of the service. @param {{ error: unknown, retry?: (() => void) | undefined }} properties */
export function Failure({ error, retry }) {
  const title = error instanceof Problem ? error.title : 'This did not work'
  const request = error instanceof Problem ? error.requestId : undefined
  return html`<div class="state failure" role="alert">
    <p class="state-title">${title}</p>
    <p>${describeProblem(error)}</p>
    ${request !== undefined && html`<p class="note">Request <code>${request}</code></p>`}
    ${retry && (isOfPosition(error) ? html`<button type="button" onClick=${openFirstPage}>First page</button>` : html`<button type="button" onClick=${retry}>Try again</button>`)}
  </div>`
}

/**
 * Shows what was requested, or that it loads or failed.
 * @template T
 * @param {Requested<T>} request
 * @param {number} lines while it loads
 * @param {(data: T) => ComponentChildren} show
 */
export function showLoaded({ data, error, reload }, lines, show) {
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  return data ? show(data) : html`<${Loading} lines=${lines} />`
}
