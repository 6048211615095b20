import { isRedacted } from '../../parts/record-text.js'
import { readRecord } from './revisions-panel.js'

/** @import { MemoryRecord } from '../../api/types.d.ts' */
/** @import { ExtraField } from '../../parts/reason-dialog.js' */

/**
 * The record with its secrets: a replacement that is made of the masked one would lose them.
 * @param {string} id
 * @returns {Promise<MemoryRecord>}
 */
async function readUnmasked(id) {
  const record = await readRecord(id, false)
  if (isRedacted(record)) throw new Error('This key may no longer see the record.')
  return record
}

/**
 * The field in which a person edits the replacement of a record: the object of a fact as text, any other payload as JSON.
 * @param {MemoryRecord} record
 * @returns {Promise<ExtraField>}
 */
export async function createField({ id }) {
  const { payload } = await readUnmasked(id)
  if (isPlainFact(payload))
    return {
      name: 'content',
      label: 'New text',
      kind: 'long',
      value: String(payload.object),
      note:
        payload.predicate === 'note'
          ? `About ${payload.subject}`
          : `${payload.subject} ${payload.predicate} …`,
    }
  return {
    name: 'content',
    label: 'New content',
    kind: 'long',
    value: JSON.stringify(toEditable(payload), undefined, 2),
    note: 'JSON',
  }
}

/**
 * The record that takes its place. The console is its source: a fact without one is refused.
 * @param {MemoryRecord} record
 * @param {Readonly<Record<string, string>>} answers
 */
export async function createSuccessor({ id }, answers) {
  const { type, payload, tags } = await readUnmasked(id)
  const content = answers['content'] ?? ''
  const edited = isPlainFact(payload)
    ? { ...toEditable(payload), object: content }
    : { ...readJson(content), kind: payload.kind }
  /** @type {{ kind: 'observation', ref: string }[]} */
  const sources = [{ kind: 'observation', ref: 'console' }]
  // The service validates the payload; what a person wrote as JSON can be anything.
  const checked = /** @type {MemoryRecord['payload']} */ (edited)
  return { type, tags, payload: checked, provenance: { sources } }
}

/** @param {MemoryRecord['payload']} payload @returns {payload is Extract<MemoryRecord['payload'], { kind: 'semantic' }>} */
function isPlainFact(payload) {
  return payload.kind === 'semantic' && typeof payload.object === 'string'
}

/**
 * Without what belongs to the old record alone: its evidence, and its place in the revisions.
 * @param {MemoryRecord['payload']} payload
 */
function toEditable(payload) {
  if (payload.kind !== 'semantic') return payload
  const { evidence: _evidence, revision: _revision, ...rest } = payload
  return rest
}

/** @param {string} text @returns {object} */
function readJson(text) {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Reported below, in words.
  }
  throw new Error('The content is not a JSON object. Check quotes, commas and brackets.')
}
