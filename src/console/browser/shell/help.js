import { html } from '../html.js'
import { openDialog } from '../parts/dialog.js'
import { Lazy } from '../parts/lazy.js'

const load = () => import('../pages/help/help.js')

/** Says what the words and the keys mean. */
export function showHelp() {
  openDialog({ title: 'Words and keyboard shortcuts', Body: Help })
}

/** @param {{ close: () => void }} properties */
function Help({ close }) {
  return html`<${Lazy} load=${load} close=${close} />`
}
