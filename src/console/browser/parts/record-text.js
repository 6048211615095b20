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
  return clip(describe(record, limit).replaceAll(/\s+/g, ' ').trim(), limit) || `Empty ${record.type}`
}

/** @param {SeenRecord} record @returns {record is Extract<SeenRecord, { redacted: true }>} */
export function isRedacted(record) {
  return 'redacted' in record
}

/** @param {MemoryRecord} record @param {number} limit @returns {string} */
function describe({ payload, scope }, limit) {
  switch (payload.kind) {
    case 'semantic':
      return toSentence(payload, limit, scope)
    case 'episodic':
      return describeEpisode(payload, limit)
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
 * Its events. A message without a text calls tools, or has their results.
 * @param {Extract<MemoryRecord['payload'], { kind: 'episodic' }>} payload
 * @param {number} limit
 */
function describeEpisode({ timeline, tool_graph: calls, conversation }, limit) {
  const tools = conversation ? calls : []
  return [
    ...timeline.map(({ summary, event_kind }) => summary ?? (tools[0] ? '' : event_kind)),
    ...tools.map(({ tool, result }) => (result === undefined ? tool : `${tool} → ${writeValue(result)}`)),
  ]
    .filter((part) => part !== '')
    .slice(0, 8)
    .map((part) => clip(part, limit))
    .join(' · ')
}

/**
 * A fact as a sentence. A note is its own sentence, after what it is about if it does not name that: an imported note such as "Lives in
 * Paris" names no person. So is an event that was stored as a fact. A profile names its entity by the id, and in its text by the name.
 * @param {Extract<MemoryRecord['payload'], { kind: 'semantic' }>} payload
 * @param {number} limit
 * @param {string} [scope] The subject of a note about nothing in particular.
 */
export function toSentence({ subject, predicate, object }, limit, scope = 'memory') {
  const said = clip(writeValue(object), limit)
  const isNamed = subject === scope || said.toLowerCase().includes(subject.toLowerCase())
  const isId = /^[0-9a-f-]{36}$/i.test(subject)
  if (predicate === 'note' && (isNamed || isId)) return said
  if (predicate === 'profile' && isId) return `profile: ${said}`
  if (/^(?:note|observed_in)$/.test(predicate)) return `${clip(subject, limit).replaceAll('_', ' ')}: ${said}`
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
