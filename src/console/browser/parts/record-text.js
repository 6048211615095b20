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
    case 'semantic': {
      const topic = findTopic(payload, scope)
      return `${topic === undefined ? '' : `${clip(topic, limit)}: `}${toSentence(payload, limit)}`
    }
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
 * Its events. A message without a text calls a tool, or has the result of one.
 * @param {Extract<MemoryRecord['payload'], { kind: 'episodic' }>} payload
 * @param {number} limit
 */
function describeEpisode({ timeline, tool_graph: calls, conversation }, limit) {
  const isOfTools = conversation !== undefined && calls.length > 0
  const said = timeline
    .slice(0, 8)
    .map(({ summary, event_kind: kind }) => clip(summary ?? (isOfTools ? '' : kind), limit))
  const tools = isOfTools ? calls.slice(0, 8).map((call) => describeCall(call, limit)) : []
  return [...said, ...tools].filter((part) => part !== '').join(' · ')
}

/** @param {{ tool: string, result?: unknown }} call @param {number} limit */
function describeCall({ tool, result }, limit) {
  return result === undefined ? `calls ${tool}` : `${tool} → ${clip(writeValue(result), limit)}`
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

/** The subject of a note that is about nothing in particular. */
const noTopic = 'memory'
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * What a note is about, if its text does not name it: an imported note such as "Lives in Paris" names nobody.
 * @param {Extract<MemoryRecord['payload'], { kind: 'semantic' }>} payload
 * @param {string | undefined} scope
 */
export function findTopic({ subject, predicate, object }, scope) {
  if (predicate !== 'note' || subject === (scope ?? noTopic) || isId.test(subject)) return undefined
  return writeValue(object).toLowerCase().includes(subject.toLowerCase()) ? undefined : subject
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
