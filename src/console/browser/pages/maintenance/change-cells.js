import { html } from '../../html.js'
import { toWords } from '../../parts/numbers.js'
import { isId, shortenId } from '../../parts/record-id.js'
import { clip } from '../../parts/record-text.js'
import { formatDay, formatExact } from '../../parts/time.js'

/** @type {Readonly<Record<string, string>>} */
const looks = {
  prune: 'bad',
  forget: 'bad',
  purge: 'bad',
  archive: 'bad',
  failed: 'bad',
  drift_invalidate: 'bad',
  create: 'good',
  promote: 'good',
  reinforce: 'good',
  undone: 'good',
  drift_restore: 'good',
  skipped: 'warn',
  kept: 'warn',
  drift_challenge: 'warn',
  probe_challenge: 'warn',
}

/** @param {{ action: string }} properties */
export function ActionTag({ action }) {
  return html`<span class=${`tag ${looks[action] ?? ''}`}>${toWords(action)}</span>`
}

/** At most this many fields of a change are shown; the record's own log has all. */
const maxFields = 4
const longestValue = 60

/**
 * Every changed field with its values before and after. A field that only the state before names is not changed, unless there is no
 * state after.
 * @param {{ change: { before?: object, after?: object, redacted?: true } }} properties
 */
export function Difference({ change: { before = {}, after, redacted } }) {
  if (redacted) return html`<span class="none">hidden from this key</span>`
  const [from, to] = [before, after ?? {}].map((values) => new Map(Object.entries(values)))
  const names = Object.keys(after ?? before).filter(
    (name) => JSON.stringify(from?.get(name)) !== JSON.stringify(to?.get(name)),
  )
  return html`<div class="difference">
    ${names.slice(0, maxFields).map((name) => html`<span key=${name}>${toWords(name)} <del>${show(from?.get(name))}</del> → <ins>${show(to?.get(name))}</ins></span>`)}
    ${names.length > maxFields && html`<span class="note">and ${names.length - maxFields} more</span>`}
  </div>`
}

/** @param {unknown} value */
function show(value) {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'number') return String(Number(value.toPrecision(3)))
  if (Array.isArray(value) && value.every(isId)) return clip(value.map(shortenId).join(', '), longestValue)
  if (typeof value !== 'string') return clip(JSON.stringify(value), longestValue)
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return clip(value, longestValue)
  return html`<time datetime=${value} title=${formatExact(value)}>${formatDay(value)}</time>`
}
