import { signal } from '@preact/signals'
import { describeProblem } from '../api/problem.js'
import { html } from '../html.js'

/** @typedef {{ id: number, text: string, isProblem: boolean }} Notice */

const shown = signal(/** @type {readonly Notice[]} */ ([]))
let lastId = 0
const shownMs = 5_000

/** Tells that something was done; it disappears by itself. @param {string} text */
export function notify(text) {
  const id = add(text, false)
  setTimeout(() => dismiss(id), shownMs)
}

/** Tells that something failed; it stays until it is dismissed. @param {unknown} error */
export function notifyProblem(error) {
  add(describeProblem(error), true)
}

/**
 * @param {string} text
 * @param {boolean} isProblem
 */
function add(text, isProblem) {
  lastId += 1
  shown.value = [...shown.value, { id: lastId, text, isProblem }]
  return lastId
}

/** @param {number} id */
function dismiss(id) {
  shown.value = shown.value.filter((notice) => notice.id !== id)
}

/** The regions exist from the start: a screen reader announces only what enters a region that it knows. */
export function Notices() {
  const [done, failed] = [false, true].map((isProblem) =>
    shown.value.filter((notice) => notice.isProblem === isProblem),
  )
  return html`<div class="notices">
    <div role="status">${done?.map((notice) => html`<${NoticeLine} key=${notice.id} notice=${notice} />`)}</div>
    <div role="alert">${failed?.map((notice) => html`<${NoticeLine} key=${notice.id} notice=${notice} />`)}</div>
  </div>`
}

/** @param {{ notice: Notice }} properties */
function NoticeLine({ notice: { id, text, isProblem } }) {
  return html`<p class=${isProblem ? 'notice problem' : 'notice'}>
    ${text}<button type="button" class="quiet" aria-label="Dismiss" onClick=${() => dismiss(id)}>✕</button>
  </p>`
}
