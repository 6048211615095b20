import { html } from '../html.js'

/** @import { MemoryRecord } from '../api/types.d.ts' */

/** @type {Readonly<Record<MemoryRecord['status'], string>>} */
const looks = { active: 'good', challenged: 'warn', invalidated: 'bad', merged: '', superseded: '' }

/** Where a record stands: its status, and whether it is contested, pinned or forgotten. @param {{ record: MemoryRecord }} properties */
export function StatusTag({ record }) {
  return html`<span class="tags">
    ${record.forgotten ? html`<span class="tag bad">forgotten</span>` : html`<span class=${`tag ${looks[record.status]}`}>${record.status}</span>`}
    ${isContestedFact(record) && html`<span class="tag warn">contested</span>`}
    ${record.lifecycle.pinned && html`<span class="tag accent">pinned</span>`}
  </span>`
}

/** A contested fact stays active until the contest is decided. @param {MemoryRecord} record */
function isContestedFact({ status, payload }) {
  return status === 'active' && payload.kind === 'semantic' && payload.revision?.status === 'contested'
}

/** @param {MemoryRecord} record */
export function isContested(record) {
  return record.status === 'challenged' || isContestedFact(record)
}
