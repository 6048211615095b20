import { html } from '../../html.js'

/** The scope of a run or a plan. @param {{ scope: string | undefined }} properties */
export function RunScope({ scope }) {
  if (scope === undefined) return html`<span class="none">all</span>`
  return html`<span class="tag"><bdi>${scope}</bdi></span>`
}
