import { html } from '../html.js'

/** @type {Readonly<Record<string, string>>} */
const looks = {
  succeeded: 'good',
  ready: 'good',
  applied: 'good',
  running: 'accent',
  preparing: 'accent',
  stale: 'warn',
  failed: 'bad',
}

/** The status of a run or a plan. @param {{ status: string }} properties */
export function RunStatus({ status }) {
  return html`<span class=${`tag ${looks[status] ?? ''}`}>${status}</span>`
}
