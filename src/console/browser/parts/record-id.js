import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { toPath } from '../router.js'
import { notifyProblem } from './notices.js'

/** Ids of one time begin alike, so their end is shown. */
const shownLength = 8

/** Whether a value looks like the id of a record. @param {unknown} value */
export function isId(value) {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(value))
}

/** @param {string} id */
export function shortenId(id) {
  return id.length > shownLength + 1 ? `…${id.slice(-shownLength)}` : id
}

/** A shortened id that leads to its record and can be copied in full. @param {{ id: string, isLink?: boolean }} properties */
export function RecordId({ id, isLink = true }) {
  // The whole id is in the page, for a search and for a screen reader; only its end is drawn.
  const text =
    id.length > shownLength + 1
      ? html`<code><span class="unseen">${id.slice(0, -shownLength)}</span><span class="id-end">${id.slice(-shownLength)}</span></code>`
      : html`<code>${id}</code>`
  return html`<span class="id" title=${id}>
    ${isLink ? html`<a href=${toPath(['records', id])}>${text}</a>` : text}<${CopyButton} text=${id} label=${`Copy ${id}`} />
  </span>`
}

/** Drawn, because not every font has such characters. @param {{ path: string }} properties */
function Sign({ path }) {
  return html`<svg class="sign" viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><path d=${path} /></svg>`
}

/** @param {{ text: string, label: string, children?: string }} properties */
export function CopyButton({ text, label, children }) {
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), 1_500)
    } catch {
      notifyProblem(
        new Error(
          'The browser refuses to copy: the clipboard needs localhost or TLS. Select the text instead.',
        ),
      )
    }
  }
  return html`<button type="button" class="quiet copy" aria-label=${label} title=${label} onClick=${copy}>${isCopied ? html`<${Sign} path="m2 9 4 4 8-10" />` : (children ?? html`<${Sign} path="M5 5h9v9H5zM2 11V2h9" />`)}</button>`
}
