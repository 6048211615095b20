import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { RecordId } from '../../parts/record-id.js'
import { clip, isRedacted, toSentence } from '../../parts/record-text.js'
import { Time } from '../../parts/time.js'

/** @import { MemoryRecord } from '../../api/types.d.ts' */

/** A chain of revisions is shown this far to both sides. */
const maxShown = 8
/** A payload may have megabytes; this much of it is compared. */
const longestCompared = 20_000

/** @typedef {Awaited<ReturnType<typeof readSteps>>} Steps */

/** The records that this one replaced, and its successors, each with the difference. @param {{ record: MemoryRecord, steps: Steps }} properties */
export function RevisionsPanel({ record, steps }) {
  return html`<${Panel} title="Revisions">
    ${
      steps.length === 0
        ? html`<p class="note">This record replaces no other, and none replaces it.</p>`
        : html`<ol class="revisions">${steps.map((step) => html`<li key=${`${step.newer.id} ${step.older.id}`}><${Step} current=${record.id} ...${step} /></li>`)}</ol>`
    }
  <//>`
}

/** @param {{ current: string } & Steps[number]} properties */
function Step({ current, predicate, older, newer, pieces }) {
  const name = (/** @type {MemoryRecord} */ { id }) =>
    id === current ? html`<strong>this record</strong>` : html`<${RecordId} id=${id} />`
  const said = predicate === 'supersedes' ? 'replaced' : 'was derived from'
  return html`<p>${name(newer)} ${said} ${name(older)} <span class="note"><${Time} at=${newer.created_at} /></span></p>
    <p class="content diff">${pieces.map(showPiece)}</p>`
}

/** @param {Steps[number]['pieces'][number]} piece @param {number} index */
function showPiece({ kind, text }, index) {
  if (kind === 'added') return html`<ins key=${index}>${text}</ins>`
  if (kind === 'removed') return html`<del key=${index}>${text}</del>`
  return html`<span key=${index}>${text}</span>`
}

/** @param {MemoryRecord} record */
function toComparable({ payload, scope }) {
  const text =
    payload.kind === 'semantic'
      ? toSentence(payload, longestCompared, scope)
      : toWords(JSON.stringify(payload, undefined, 2))
  return clip(text, longestCompared)
}

/**
 * Each step of the lineage that touches this record, with both sides whole and their difference.
 * @param {MemoryRecord} record
 * @param {boolean} isMasked
 * @param {AbortSignal} signal
 */
export async function readSteps(record, isMasked, signal) {
  const { edges } = await api.get('/v1/records/{id}/lineage', { path: { id: record.id }, signal })
  if (edges.length === 0) return []
  const { diffWords } = await import('./word-diff.js')
  const steps = edges.slice(0, maxShown)
  const ids = [...new Set(steps.flatMap(({ source_id, target_id }) => [source_id, target_id]))]
  const found = await Promise.all(
    ids.map((id) => (id === record.id ? record : readWhole(id, isMasked, signal))),
  )
  const records = new Map(found.flatMap((one) => (one ? [[one.id, one]] : [])))
  return steps.flatMap(({ source_id, predicate, target_id }) => {
    const newer = records.get(source_id)
    const older = records.get(target_id)
    if (!newer || !older) return []
    return [{ predicate, newer, older, pieces: diffWords(toComparable(older), toComparable(newer)) }]
  })
}

/**
 * @param {string} id
 * @param {boolean} isMasked
 * @param {AbortSignal} signal
 * @returns {Promise<MemoryRecord | undefined>}
 */
async function readWhole(id, isMasked, signal) {
  const record = await readRecord(id, isMasked, signal).catch(() => undefined)
  return record && !isRedacted(record) ? record : undefined
}

/** @param {string} id @param {boolean} isMasked @param {AbortSignal} [signal] */
export function readRecord(id, isMasked, signal) {
  const query = { include_forgotten: true, mask_secrets: isMasked }
  return api.get('/v1/records/{id}', { path: { id }, query, signal })
}
