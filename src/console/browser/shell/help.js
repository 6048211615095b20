import { may } from '../api/session.js'
import { html } from '../html.js'
import { loadHelp, pages } from '../pages.js'
import { openDialog } from '../parts/dialog.js'
import { Lazy } from '../parts/lazy.js'

/** Says what the words and the keys mean. */
export function showHelp() {
  openDialog({ title: 'Words and keyboard shortcuts', Body: Help })
}

/** @param {{ close: () => void }} properties */
function Help({ close }) {
  const offered = pages.filter(({ permission }) => may(permission))
  return html`<${Lazy} load=${loadHelp} pages=${offered} close=${close} />`
}
