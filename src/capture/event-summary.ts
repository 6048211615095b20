import { maskText } from '../domain/masking.ts'
import { clip, outline } from '../domain/outline.ts'
import { type Evidence, isObject } from './evidence.ts'

/** What the evidence comes to in a line. Raw content is no summary: it is kept beside it, whole. */
export type Summary = {
  /** In the words of the caller, or a sentence by rule; empty where that would say no more than the kind. */
  summary: string
  /** A sentence in any case. */
  sentence: string
}

const maxPartLength = 100
const maxScannedLength = 4_000
const maxTools = 3

export function summarise(evidence: Evidence): Summary {
  const { summary } = evidence.input
  const words = [summary, evidence.fields['summary']].find(isText)
  if (words !== undefined) return { summary: words, sentence: words }
  const { sentence, saysSomething } = composeSentence(evidence)
  return { summary: saysSomething ? sentence : '', sentence }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** From kind, tool, subject and outcome alone: equal happenings come to equal sentences. */
function composeSentence({ input, fields }: Evidence): { sentence: string; saysSomething: boolean } {
  const named = [fields['event_kind'], input.source_kind].find(isText)
  const kind = formatPart(named ?? 'event').replace(/_/g, ' ')
  const tools = listTools(fields)
  const topic = describeTopic(fields)
  const outcome = isText(fields['outcome']) ? formatPart(fields['outcome']) : undefined
  const sentence = [
    `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    tools === '' ? '' : ` with ${tools}`,
    topic === undefined ? '' : `: ${topic}`,
    outcome === undefined ? '' : `, outcome ${outcome}`,
    '.',
  ].join('')
  const isNamed = isText(fields['event_kind']) && outcome !== undefined
  return { sentence, saysSomething: tools !== '' || topic !== undefined || isNamed }
}

function listTools(fields: Evidence['fields']): string {
  const graph = Array.isArray(fields['tool_graph']) ? fields['tool_graph'] : []
  const called = [
    fields['tool_name'] ?? fields['tool'],
    ...graph.map((node) => isObject(node) && node['tool']),
  ]
  const names = [...new Set(called.filter(isText).map(formatPart))]
  const more = names.length - maxTools
  const shown = more > 0 ? [...names.slice(0, maxTools), `${more} more`] : names
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** A fact is told whole; a subject alone is what the event is about. */
function describeTopic({ subject, predicate, object }: Evidence['fields']): string | undefined {
  if (!isText(subject)) return undefined
  if (!isText(predicate) || object === undefined) return formatPart(subject)
  return [subject, predicate, outline(object, maxPartLength)].map(formatPart).join(' ')
}

function formatPart(text: string): string {
  return clip(maskText(text.slice(0, maxScannedLength)).replace(/\s+/g, ' ').trim(), maxPartLength)
}
