import { may } from '../api/session.js'
import { html } from '../html.js'
import { pages } from '../pages.js'
import { openDialog } from '../parts/dialog.js'

/** Shows what the keyboard does. */
export function showHelp() {
  openDialog({ title: 'Keyboard shortcuts', Body: Shortcuts })
}

/** @param {{ close: () => void }} properties */
function Shortcuts({ close }) {
  const offered = pages.filter(({ permission }) => may(permission))
  return html`<dl class="shortcuts">
      <div><dt><kbd>/</kbd></dt><dd>Search records</dd></div>
      ${offered.map(({ name, title, letter }) => html`<div key=${name}><dt><kbd>g</kbd> <kbd>${letter}</kbd></dt><dd>${title}</dd></div>`)}
      <div><dt><kbd>?</kbd></dt><dd>This list</dd></div>
      <div><dt><kbd>Esc</kbd></dt><dd>Close a dialog</dd></div>
    </dl>
    <div class="dialog-actions"><button type="button" class="primary" onClick=${close}>Close</button></div>`
}
