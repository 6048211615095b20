import { html } from '../html.js'
import { formatCount } from '../parts/numbers.js'

/** @typedef {{ name: string, value: number }} Column `name` says what the column stands for, such as a day */

/**
 * Amounts in a row over time, as one picture with a name, and the same figures in a table for a reader without sight.
 * @param {{ name: string, columns: readonly Column[], unit: string }} properties
 */
export function Columns({ name, columns, unit }) {
  const most = Math.max(0, ...columns.map(({ value }) => value))
  const isFew = columns.length <= 10
  return html`<div class="columns" role="img" aria-label=${name}>
      <div class="columns-plot">
        ${columns.map(
          ({
            name: what,
            value,
          }) => html`<div key=${what} class="column" title=${`${what}: ${formatCount(value)}`}>
            ${isFew && html`<span class="column-value">${formatCount(value)}</span>`}
            <span class="column-bar" style=${{ height: `calc((100% - 1.25rem) * ${value / Math.max(1, most)})` }}></span>
          </div>`,
        )}
      </div>
      <div class="columns-names">${isFew ? columns.map(({ name: what }) => html`<span key=${what}>${what}</span>`) : html`<span>${columns[0]?.name}</span><span>most ${formatCount(most)}</span><span>${columns.at(-1)?.name}</span>`}</div>
    </div>
    <div class="unseen"><table>
      <caption>${name}</caption>
      <thead><tr><th scope="col">When</th><th scope="col">${unit}</th></tr></thead>
      <tbody>${columns.map(({ name: what, value }) => html`<tr key=${what}><th scope="row">${what}</th><td>${formatCount(value)}</td></tr>`)}</tbody>
    </table></div>`
}
