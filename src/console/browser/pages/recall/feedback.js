import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { notify } from '../../parts/notices.js'
import { formatScore } from '../../parts/numbers.js'
import { askReason } from '../../parts/reason-dialog.js'
import { isRedacted, toText } from '../../parts/record-text.js'

/** @import { SeenRecord } from '../../api/types.d.ts' */

/** A replaced record neither fades nor changes. @type {ReadonlySet<string>} */
const history = new Set(['invalidated', 'superseded', 'merged'])

/**
 * Tells the memory that a record was right or wrong here. Absent where the key may not, or the record cannot take it.
 * @param {{ record: SeenRecord, describedBy: string, onChange: () => void }} properties
 */
export function Feedback({ record, describedBy, onChange }) {
  if (!may('lifecycle:write') || isRedacted(record)) return null
  if (history.has(record.status) || record.forgotten) return null
  return html`<div class="row feedback">
    <button type="button" aria-describedby=${describedBy} onClick=${() => reinforce(record, onChange)}>Reinforce</button>
    <button type="button" aria-describedby=${describedBy} onClick=${() => penalize(record, onChange)}>Penalize</button>
  </div>`
}

/**
 * @param {SeenRecord} record
 * @param {() => void} onChange
 */
function reinforce(record, onChange) {
  askReason({
    action: 'Reinforce',
    explanation: `It helps: “${toText(record)}”. Its salience rises, and it starts to fade again from now.`,
    act: async (_, body) => {
      const path = { id: record.id }
      tell('Reinforced', record, await api.post('/v1/records/{id}/reinforce', { path, body }))
      onChange()
    },
  })
}

/**
 * @param {SeenRecord} record
 * @param {() => void} onChange
 */
function penalize(record, onChange) {
  askReason({
    action: 'Penalize',
    explanation: `It does not help: “${toText(record)}”. Its salience falls by the amount.`,
    fields: [
      { name: 'amount', label: 'Amount', kind: 'number', value: '0.2', min: 0, max: 1_000, step: 0.05 },
    ],
    act: async ({ amount }, because) => {
      const path = { id: record.id }
      const body = { ...because, amount: Number(amount) }
      tell('Penalized', record, await api.post('/v1/records/{id}/penalize', { path, body }))
      onChange()
    },
  })
}

/**
 * A key that may not read gets no record back.
 * @param {string} done
 * @param {SeenRecord} before
 * @param {object} after
 */
function tell(done, before, after) {
  const now = 'salience' in after && typeof after.salience === 'number' ? after.salience : undefined
  notify(
    now === undefined
      ? `${done}.`
      : `${done}: salience ${formatScore(before.salience)} → ${formatScore(now)}.`,
  )
}
