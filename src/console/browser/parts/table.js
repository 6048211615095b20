import { html } from '../html.js'
import { query, setQuery } from '../router.js'

/** @import { ComponentChildren } from 'preact' */

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} name
 * @property {ComponentChildren} label
 * @property {(row: Row) => ComponentChildren} show
 * @property {boolean} [isNumber] aligned to the right, in figures of equal width
 * @property {boolean} [isMain] takes the room that the others leave
 */

/**
 * A table that scrolls inside its own box where the window is narrow.
 * @template Row
 * @param {{ caption: string, columns: readonly Column<Row>[], rows: readonly Row[], keyOf: (row: Row) => string, isBusy?: boolean }} properties
 */
export function Table({ caption, columns, rows, keyOf, isBusy = false }) {
  return html`<div class="table-box" role="region" aria-label=${caption} tabindex="0">
    <table aria-busy=${isBusy}>
      <caption class="unseen">${caption}</caption>
      <thead><tr>${columns.map(({ name, label, ...kind }) => html`<th key=${name} scope="col" class=${toClass(kind)}>${label}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr key=${keyOf(row)}>${columns.map(({ name, show, ...kind }) => html`<td key=${name} class=${toClass(kind)}>${show(row)}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** @type {Column<{ scope?: string }> & { label: string }} */
export const scopeColumn = {
  name: 'scope',
  label: 'Scope',
  show: ({ scope }) => html`<span class="clipped" title=${scope}><bdi>${scope ?? '–'}</bdi></span>`,
}

/** @param {{ isNumber?: boolean, isMain?: boolean }} kind */
function toClass({ isNumber = false, isMain = false }) {
  if (isNumber) return 'number'
  return isMain ? 'main' : undefined
}

/** Never the bare cursor: an address can name any, also one that is the name of another value of the tab. @param {string} cursor */
const nameBefore = (cursor) => `membrane.before ${cursor}`

/**
 * Leads through the pages of a list. The cursor is in the address. The tab keeps which page it followed, so that the way back does not
 * leave the list, as the history of the browser would after a link from elsewhere.
 * @param {{ next: string | undefined, name?: string }} properties
 */
export function Pager({ next, name = 'cursor' }) {
  const cursor = query.value.get(name) ?? ''
  const isFirst = cursor === ''
  if (isFirst && next === undefined) return null
  const before = isFirst ? null : sessionStorage.getItem(nameBefore(cursor))
  const turn = () => {
    if (next !== undefined) sessionStorage.setItem(nameBefore(next), cursor)
    setQuery({ [name]: next })
  }
  return html`<nav class="pager" aria-label="Pages of the list">
    <button type="button" disabled=${isFirst} onClick=${() => setQuery({ [name]: undefined })}>First page</button>
    <button type="button" disabled=${before === null} onClick=${() => setQuery({ [name]: before ?? '' })}>Previous page</button>
    <button type="button" disabled=${next === undefined} onClick=${turn}>Next page</button>
  </nav>`
}
