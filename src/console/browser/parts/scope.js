import { html } from '../html.js'

/** The scope in a row of a table. A long one is cut, so that it leaves room for the text. @param {{ of: string | undefined }} properties */
export function Scope({ of: scope }) {
  return scope === undefined
    ? html`<span class="none">–</span>`
    : html`<span class="clipped" title=${scope}><bdi>${scope}</bdi></span>`
}
