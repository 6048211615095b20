import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { notify } from '../../parts/notices.js'
import { askReason } from '../../parts/reason-dialog.js'
import { actions } from './action-list.js'

/** @import { MemoryRecord } from '../../api/types.d.ts' */
/** @import { Action } from './action-list.js' */

/**
 * None works while the record is loaded again: it would name an old version. A button that is `disabled` would lose the focus.
 * @param {{ record: MemoryRecord, isBusy: boolean, onDone: () => void }} properties
 */
export function RecordActions({ record, isBusy, onDone }) {
  const offered = actions.filter(({ permission, isOffered }) => may(permission) && isOffered(record))
  if (offered.length === 0) return html`<p class="note">This key may only read.</p>`
  return html`<div class="row actions" role="group" aria-label="Actions">
    ${offered.map((action) => {
      const reason = action.whyNot?.(record)
      return html`<button key=${action.action} type="button" class=${action.isDangerous ? 'danger' : undefined} disabled=${reason !== undefined} aria-disabled=${isBusy} title=${reason ?? action.explanation} onClick=${() => isBusy || ask(action, record, onDone)}>${action.action}</button>`
    })}
  </div>`
}

/**
 * @param {Action} action
 * @param {MemoryRecord} record
 * @param {() => void} onDone
 */
async function ask({ run, done, fields, ...action }, record, onDone) {
  const isDone = await askReason({
    ...action,
    ...(action.confirmation ? { confirmation: [...action.confirmation, record.id] } : {}),
    fields: (await fields?.(record)) ?? [],
    act: (answers, because) =>
      run({ path: { id: record.id }, version: record.version }, because, answers, record),
  })
  if (isDone) notify(`${done}.`)
  // Also after a dismissed dialog: it may have been refused because the record has changed.
  onDone()
}
