import { useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { notifyProblem } from '../../parts/notices.js'
import { nameCount, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { clip, writeValue } from '../../parts/record-text.js'
import { Time } from '../../parts/time.js'
import { toPath } from '../../router.js'

/** @import { AuditEntry } from '../../api/types.d.ts' */

const shownAtFirst = 12

/** The curve of the past is drawn from the first page. @param {string} id @param {boolean} isMasked @param {string} [cursor] @param {AbortSignal} [signal] */
export function readLog(id, isMasked, cursor, signal) {
  const query = { limit: 500, cursor, mask_secrets: isMasked }
  return api.get('/v1/records/{id}/audit', { path: { id }, query, signal })
}

/**
 * Who did what to the record, and why, the newest first.
 * @param {{ id: string, first: { items: AuditEntry[], next_cursor?: string }, isMasked: boolean }} properties
 */
export function AuditPanel({ id, first, isMasked }) {
  const [more, setMore] = useState(
    /** @type {{ items: AuditEntry[], next_cursor?: string }} */ ({ items: [] }),
  )
  const [isWhole, setWhole] = useState(false)
  const entries = [...first.items, ...more.items].reverse()
  const next = more.items.length > 0 ? more.next_cursor : first.next_cursor
  async function loadMore() {
    try {
      const page = await readLog(id, isMasked, next)
      setMore(({ items }) => ({ ...page, items: [...items, ...page.items] }))
    } catch (error) {
      notifyProblem(error)
    }
  }
  const shown = isWhole ? entries : entries.slice(0, shownAtFirst)
  return html`<${Panel} title="Audit log" aside=${html`<span class="note">${nameCount(entries.length, 'entry', 'entries')}${next === undefined ? '' : ' so far'}</span>`}>
    <ol class="audit">${shown.map((entry, index) => html`<li key=${`${entry.timestamp} ${index}`}><${Entry} entry=${entry} /></li>`)}</ol>
    <div class="row">
      ${shown.length < entries.length && html`<button type="button" onClick=${() => setWhole(true)}>Show all ${nameCount(entries.length, 'entry', 'entries')}</button>`}
      ${next !== undefined && html`<button type="button" onClick=${loadMore}>Load newer entries</button>`}
    </div>
  <//>`
}

/** @param {{ entry: AuditEntry }} properties */
function Entry({ entry: { action, actor, timestamp, rationale, changes, run_id: run, via } }) {
  const through =
    via?.key_name !== undefined && via.key_name !== actor
      ? html` with the key ${clip(via.key_name, 80)}`
      : null
  const by = via?.imported_by && html`, imported by ${clip(via.imported_by.key_name, 80)}`
  return html`<p><strong>${toWords(action)}</strong> <span class="note">by ${clip(actor, 80)}${through}, <${Time} at=${timestamp} />${by}${run !== undefined && html`, <a href=${toPath(['maintenance', 'runs', run])}>run</a>`}</span></p>
    ${rationale !== '' && html`<p class="content">${clip(rationale, 600)}</p>`}
    ${
      changes &&
      html`<ul class="plain changes">${Object.entries(changes)
        .slice(0, 12)
        .map(
          ([name, change]) => html`<li key=${name}><${Change} name=${name} change=${change} /></li>`,
        )}</ul>`
    }`
}

/** @param {{ name: string, change: unknown }} properties */
function Change({ name, change }) {
  const label = html`<code>${clip(name, 90)}</code>`
  if (!Array.isArray(change) || change.length !== 2) return html`${label} ${show(change)}`
  const [before, after] = change
  return html`${label} <del>${show(before)}</del> → <ins>${show(after)}</ins>`
}

/** @param {unknown} value */
function show(value) {
  if (typeof value === 'number') return String(Math.round(value * 1_000) / 1_000)
  return value === null || value === undefined ? 'none' : clip(writeValue(value), 160)
}
