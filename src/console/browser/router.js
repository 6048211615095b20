import { computed, signal } from '@preact/signals'

/** @typedef {Readonly<Record<string, string | undefined>>} QueryChanges */

const root = '/console'

/** The address of the page. What a person sees follows from it alone, so that a link or a reload shows the same. */
const address = signal(new URL(location.href))

/** The parts of the path below /console, decoded. */
export const path = computed(() =>
  address.value.pathname
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart),
)

export const query = computed(() => address.value.searchParams)

/** @param {string} part */
function decodePart(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a page. @param {readonly string[]} parts @param {QueryChanges} [parameters] */
export function toPath(parts, parameters = {}) {
  const path = [root, ...parts.map(encodeURIComponent)].join('/')
  const text = changeQuery(new URLSearchParams(), parameters).toString()
  return text === '' ? path : `${path}?${text}`
}

/** @param {string} to @param {{ replace?: boolean }} [how] */
export function navigate(to, { replace = false } = {}) {
  const next = new URL(to, location.href)
  if (next.href === location.href) return
  if (replace) history.replaceState(null, '', next)
  else {
    history.replaceState(scrollY, '')
    history.pushState(null, '', next)
  }
  address.value = next
}

/**
 * Changes parameters of the address; undefined or empty removes one.
 * @param {QueryChanges} changes
 * @param {{ replace?: boolean }} [how]
 */
export function setQuery(changes, how) {
  const next = new URL(address.value)
  changeQuery(next.searchParams, changes)
  navigate(next.href, how)
}

/** @param {URLSearchParams} parameters @param {QueryChanges} changes */
function changeQuery(parameters, changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') parameters.delete(name)
    else parameters.set(name, value)
  }
  return parameters
}

/** Follows links and the history without loading the page again. */
export function startRouter() {
  addEventListener('popstate', ({ state }) => {
    address.value = new URL(location.href)
    if (state) scrollWhenLoaded(state)
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlainClick(event) || !leadsToPage(link)) return
    event.preventDefault()
    navigate(link.href)
  })
}

/**
 * Scrolls to where the page was left. The browser tries that at once, before the content is there. What the person does
 * next ends it.
 * @param {number} top
 */
function scrollWhenLoaded(top) {
  scrolling.abort()
  scrolling = new AbortController()
  const { signal } = scrolling
  const end = () => scrolling.abort()
  const growth = new ResizeObserver(() => {
    scrollTo(0, top)
    if (scrollY >= Math.floor(top)) end()
  })
  growth.observe(document.body)
  signal.addEventListener('abort', () => growth.disconnect())
  for (const kind of ['click', 'wheel', 'keydown', 'touchstart']) addEventListener(kind, end, { signal })
}

/** Of the last Back: it ends with all that it listens to. */
let scrolling = new AbortController()

/** @param {MouseEvent} event */
function isPlainClick({ button, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented }) {
  return button === 0 && !(altKey || ctrlKey || metaKey || shiftKey || defaultPrevented)
}

/** @param {HTMLAnchorElement} link */
function leadsToPage({ origin, pathname, target, hash, download }) {
  const isPage = pathname === root || pathname.startsWith(`${root}/`)
  return origin === location.origin && isPage && target === '' && hash === '' && download === ''
}
