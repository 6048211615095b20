import { useEffect, useRef } from 'preact/hooks'
import { key } from '../api/key.js'
import { caller, may, signOut } from '../api/session.js'
import { html } from '../html.js'
import { pages } from '../pages.js'
import { toPath } from '../router.js'
import { showHelp } from './help.js'

/** @param {{ current: string | undefined }} properties */
export function Navigation({ current }) {
  const offered = pages.filter(({ permission }) => may(permission))
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  // In a narrow window the links are one row that scrolls.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return html`<header class="side">
    <a class="brand" href="/console" aria-label="Membrane, start page"><span class="brand-mark" aria-hidden="true"></span>Membrane</a>
    <nav ref=${list} aria-label="Pages">
      <ul>
        ${offered.map(
          ({ name, title }, index) =>
            html`<li key=${name}>
              <a href=${toPath(index === 0 && name === pages[0].name ? [] : [name])} aria-current=${name === current ? 'page' : undefined}>${title}</a>
            </li>`,
        )}
      </ul>
    </nav>
    <${Account} />
  </header>`
}

function Account() {
  const own = caller.value
  if (!own) return null
  const sees = own.scopes.length === 0 ? 'all scopes' : own.scopes.join(', ')
  return html`<div class="account">
    <p class="account-name" title=${`Sees up to ${own.max_sensitivity} in ${sees}`}>${own.name}</p>
    <button type="button" class="quiet" onClick=${showHelp}>Help</button>
    ${key.value !== undefined && html`<button type="button" class="quiet" onClick=${signOut}>Sign out</button>`}
  </div>`
}
