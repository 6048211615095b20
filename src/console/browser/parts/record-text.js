/** @import { MemoryRecord, SeenRecord } from '../api/types.d.ts' */

/** A payload may have megabytes; a line of a list shows this much of it. */
const longest = 240

/**
 * A record as one line, as a person would say it. Used wherever a record is named.
 * @param {SeenRecord} record
 * @param {number} [limit]
 */
export function toText(record, limit = longest) {
  if (isRedacted(record)) return `Redacted ${record.type.replace('_', ' ')}`
  return clip(describe(record.payload, limit).replaceAll(/\s+/g, ' ').trim(), limit) || `Empty ${record.type}`
}

/** @param {SeenRecord} record @returns {record is Extract<SeenRecord, { redacted: true }>} */
export function isRedacted(record) {
  return 'redacted' in record
}

/** @param {MemoryRecord['payload']} payload @param {number} limit @returns {string} */
function describe(payload, limit) {
  switch (payload.kind) {
    case 'semantic':
      return toSentence(payload, limit)
    case 'episodic':
      return payload.timeline
        .slice(0, 8)
        .map(({ summary, event_kind }) => clip(summary ?? event_kind, limit))
        .join(' · ')
    case 'working':
      return clip(payload.context_summary ?? '', limit) || `Task ${payload.thread_id}, ${payload.state}`
    case 'entity':
      return `${payload.canonical_name} (${payload.primary_type})`
    case 'competence':
      return payload.skill_name
    case 'plan_graph':
      return clip(payload.intent ?? '', limit) || `Plan ${payload.plan_id}`
  }
}

/**
 * A fact as a sentence. A note is its own sentence, and so is an event that was stored as a fact.
 * @param {Extract<MemoryRecord['payload'], { kind: 'semantic' }>} payload
 * @param {number} limit
 */
export function toSentence({ subject, predicate, object }, limit) {
  const said = clip(writeValue(object), limit)
  if (predicate === 'note') return said
  if (predicate === 'observed_in') return `${clip(subject, limit).replaceAll('_', ' ')}: ${said}`
  return `${clip(subject, limit)} ${predicate.replaceAll('_', ' ')} ${said}`
}

/** @param {unknown} value */
export function writeValue(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Cuts a text, but never inside a surrogate pair.
 * @param {string} text
 * @param {number} limit
 */
export function clip(text, limit) {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
