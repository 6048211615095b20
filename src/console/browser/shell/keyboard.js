import { caller, may } from '../api/session.js'
import { pages } from '../pages.js'
import { navigate, toPath } from '../router.js'
import { showHelp } from './help.js'

/** The second letter must follow `g` within this time. */
const pauseMs = 1_500

/** Listens for the shortcuts of the console. */
export function startKeyboard() {
  let armedAt = Number.NEGATIVE_INFINITY
  document.addEventListener('keydown', (event) => {
    if (!caller.value || isForAnother(event)) return
    const isSecond = event.timeStamp - armedAt < pauseMs
    armedAt = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
    const act = isSecond ? openPage(event.key) : actions[event.key]
    if (!act) return
    event.preventDefault()
    act()
  })
}

/** @type {Readonly<Record<string, () => void>>} */
const actions = { '/': searchRecords, '?': showHelp }

/**
 * Keys with a modifier belong to the browser, keys in a field to the field, and an open dialog is answered first.
 * @param {KeyboardEvent} event
 */
function isForAnother({ altKey, ctrlKey, metaKey, target, defaultPrevented }) {
  if (altKey || ctrlKey || metaKey || defaultPrevented) return true
  if (document.querySelector('dialog[open]')) return true
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** @param {string} letter */
function openPage(letter) {
  const page = pages.find((one) => one.letter === letter)
  return page && may(page.permission) ? () => navigate(toPath([page.name])) : undefined
}

function searchRecords() {
  if (!focusSearch()) navigate(toPath(['records'], { focus: 'search' }))
}

/** Moves the focus to the search field of the page, if it has one. */
function focusSearch() {
  const field = document.querySelector('main input[type="search"]')
  if (!(field instanceof HTMLInputElement)) return false
  field.focus()
  field.select()
  return true
}
