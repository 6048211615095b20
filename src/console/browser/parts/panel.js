import { useId } from 'preact/hooks'
import { html } from '../html.js'

/** @import { ComponentChildren } from 'preact' */

/**
 * A titled box of a page, as wide as a column, two, or all of them.
 * @param {{ title: string, aside?: ComponentChildren, size?: 'usual' | 'double' | 'broad', children?: ComponentChildren }} properties
 */
export function Panel({ title, aside, size = 'usual', children }) {
  const id = useId()
  return html`<section class=${`panel ${size}`} aria-labelledby=${id}>
    <div class="panel-head"><h2 id=${id}>${title}</h2>${aside}</div>
    ${children}
  </section>`
}

/** The heading of a page, with what can be done on it. @param {{ title: string, children?: ComponentChildren }} properties */
export function PageHead({ title, children }) {
  return html`<div class="page-head"><h1>${title}</h1>${children !== undefined && html`<div class="row">${children}</div>`}</div>`
}
