import { useEffect } from 'preact/hooks'
import { may, session } from '../api/session.js'
import { html } from '../html.js'
import { pages } from '../pages.js'
import { Dialogs } from '../parts/dialog.js'
import { Lazy } from '../parts/lazy.js'
import { Notices } from '../parts/notices.js'
import { Failure } from '../parts/states.js'
import { path } from '../router.js'
import { Navigation } from './navigation.js'
import { SignIn } from './sign-in.js'

/** @import { Page } from '../pages.js' */

/** Everything on the page: the sign-in, or the navigation and the page of the address. */
export function Shell() {
  return html`<${Content} /><${Dialogs} /><${Notices} />`
}

function Content() {
  const now = session.value
  if (now.state === 'starting') return html`<div class="shell"></div>`
  if (now.state === 'signed-out') return html`<${SignIn} />`
  if (now.state === 'failed')
    return html`<main class="lone"><h1>Membrane</h1><${Failure} error=${now.error} retry=${() => location.reload()} /></main>`
  const [name = pages[0].name, ...rest] = path.value
  const page = pages.find((one) => one.name === name)
  return html`<div class="shell">
    <a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    <${Navigation} current=${page?.name} />
    <main id="main" tabindex="-1">${page ? html`<${PageView} key=${page.name} page=${page} rest=${rest} />` : html`<${Nowhere} />`}</main>
  </div>`
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

/** @param {{ page: Page, rest: readonly string[] }} properties */
function PageView({ page, rest }) {
  useEffect(() => {
    document.title = `${page.title} – Membrane`
  }, [page.title])
  if (!may(page.permission))
    return html`<h1>${page.title}</h1><div class="state"><p>This key may not open this page: it lacks <code>${[page.permission].flat().join(' or ')}</code>.</p></div>`
  return html`<${Lazy} load=${page.load} title=${page.title} rest=${rest} />`
}

function Nowhere() {
  return html`<h1>Not found</h1><p class="state">There is no page at this address. Choose one in the navigation.</p>`
}
