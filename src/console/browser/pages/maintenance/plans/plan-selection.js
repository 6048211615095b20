/**
 * The changes of a plan to apply. `names` are actions and ids of records, as `POST /v1/maintenance/plans/{id}/apply` takes them.
 * @typedef {{ mode: 'except' | 'only', names: ReadonlySet<string> }} Selection
 */

/** @type {Selection} */
const everything = { mode: 'except', names: new Set() }

/** @param {string} plan */
const nameSelection = (plan) => `membrane.selection ${plan}`

/** The choice that this tab keeps of a plan, also when the page is loaded again. @param {string} plan @returns {Selection} */
export function readSelection(plan) {
  const kept = sessionStorage.getItem(nameSelection(plan))
  if (kept === null) return everything
  const { mode, names } = JSON.parse(kept)
  return { mode, names: new Set(names) }
}

/** @param {string} plan @param {Selection} selection */
export function keepSelection(plan, { mode, names }) {
  sessionStorage.setItem(nameSelection(plan), JSON.stringify({ mode, names: [...names] }))
}

/** @param {string} plan */
export function dropSelection(plan) {
  sessionStorage.removeItem(nameSelection(plan))
}

/**
 * @param {Selection} selection
 * @param {string[]} changeNames what a change is called: its action, and the id of its record
 */
export function isChosen({ mode, names }, ...changeNames) {
  return changeNames.some((name) => names.has(name)) === (mode === 'only')
}

/**
 * The same selection, but for one name.
 * @param {Selection} selection
 * @param {string} name
 * @returns {Selection}
 */
export function toggle({ mode, names }, name) {
  const others = [...names].filter((one) => one !== name)
  return { mode, names: new Set(names.has(name) ? others : [...others, name]) }
}

/** As the request names it. @param {Selection} selection @returns {{ only?: string[], except?: string[] }} */
export function toApplication({ mode, names }) {
  return names.size === 0 ? {} : { [mode]: [...names] }
}

/** Whether nothing is chosen. @param {Selection} selection @param {readonly string[]} actions */
export function isNothing({ mode, names }, actions) {
  return mode === 'only' ? names.size === 0 : actions.every((action) => names.has(action))
}
