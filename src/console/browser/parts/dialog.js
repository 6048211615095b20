import { signal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { session } from '../api/session.js'
import { html } from '../html.js'

/** @import { ComponentType } from 'preact' */

/**
 * @typedef {object} DialogContent
 * @property {string} title
 * @property {ComponentType<{ close: (result?: unknown) => void }>} Body
 * @property {boolean} [isWide]
 */

/** @typedef {DialogContent & { id: number, resolve: (result: unknown) => void }} OpenDialog */

const open = signal(/** @type {readonly OpenDialog[]} */ ([]))
let lastId = 0

// A dialog would cover the sign-in, and what it asks for can only be refused.
session.subscribe(({ state }) => {
  if (state !== 'signed-out') return
  for (const { resolve } of open.peek()) resolve(undefined)
  open.value = []
})

/**
 * Opens a modal dialog. Resolves with what its body passes to `close`, or with undefined when it is dismissed.
 * @param {DialogContent} content
 * @returns {Promise<unknown>}
 */
export function openDialog(content) {
  const { promise, resolve } = Promise.withResolvers()
  lastId += 1
  open.value = [...open.value, { ...content, id: lastId, resolve }]
  return promise
}

/** The place of all dialogs. */
export function Dialogs() {
  return open.value.map((dialog) => html`<${Dialog} key=${dialog.id} dialog=${dialog} />`)
}

/** @param {{ dialog: OpenDialog }} properties */
function Dialog({ dialog }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const titleId = useId()
  useEffect(() => {
    const shown = element.current
    shown?.showModal()
    // The browser returns the focus to the element that had it, if the dialog is closed before it is removed.
    return () => shown?.close()
  }, [])
  /** @param {unknown} [result] */
  function close(result) {
    element.current?.close()
    open.value = open.value.filter(({ id }) => id !== dialog.id)
    dialog.resolve(result)
  }
  return html`<dialog ref=${element} aria-labelledby=${titleId} class=${dialog.isWide ? 'wide' : undefined} onCancel=${() => close()}>
    <h2 id=${titleId}>${dialog.title}</h2>
    <${dialog.Body} close=${close} />
  </dialog>`
}
