import { html } from '../html.js'
import { formatCount } from '../parts/numbers.js'

/** @import { ComponentChildren } from 'preact' */

/** @typedef {{ name: string, value: number, label?: ComponentChildren, shown?: string }} Bar */

/**
 * Amounts side by side, as one picture with a name. A reader without sight gets the same figures from the hidden table.
 * @param {{ name: string, bars: readonly Bar[], unit: string }} properties
 */
export function Bars({ name, bars, unit }) {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value))
  return html`<div class="bars" role="img" aria-label=${name}>
      ${bars.map(
        (bar) => html`<span class="bar-name" key=${`${bar.name} name`}>${bar.name}</span>
          <span class="bar-track" key=${`${bar.name} bar`}>${bar.value > 0 && html`<span class="bar-fill" style=${{ width: `${(100 * bar.value) / most}%` }}></span>`}</span>
          <span class="bar-value" key=${`${bar.name} value`}>${bar.shown ?? formatCount(bar.value)}</span>`,
      )}
    </div>
    <div class="unseen"><table>
      <caption>${name}</caption>
      <thead><tr><th scope="col">What</th><th scope="col">${unit}</th></tr></thead>
      <tbody>${bars.map((bar) => html`<tr key=${bar.name}><th scope="row">${bar.name}</th><td>${bar.shown ?? formatCount(bar.value)}</td></tr>`)}</tbody>
    </table></div>`
}
