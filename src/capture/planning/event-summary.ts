import { describeTopic, formatPart, isText, writeSummary } from '../../domain/payloads/generated-summary.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import type { Evidence } from './evidence.ts'

/**
 * The evidence in one line. Raw content is never a summary: it may contain secrets, and it is stored in full beside
 * it.
 */
export type Summary = {
  /** The caller's words or a generated sentence. Empty if the sentence would say only the kind of the event. */
  summary: string
  /** A sentence in any case. */
  sentence: string
}

const maxTools = 3

export function summarise(evidence: Evidence): Summary {
  const { summary } = evidence.input
  const words = [summary, evidence.fields['summary']].find(isText)
  if (words !== undefined) return { summary: words, sentence: words }
  const { sentence, saysSomething } = composeSentence(evidence)
  return { summary: saysSomething ? sentence : '', sentence }
}

/** Uses only kind, tools, subject and outcome, so that equal events get equal sentences. */
function composeSentence({ input, fields }: Evidence): { sentence: string; saysSomething: boolean } {
  const named = [fields['event_kind'], input.source_kind].find(isText)
  const kind = formatPart(named ?? 'event').replace(/_/g, ' ')
  const tools = listTools(fields)
  const topic = describeTopic(fields)
  const outcome = isText(fields['outcome']) ? formatPart(fields['outcome']) : undefined
  const isNamed = isText(fields['event_kind']) && outcome !== undefined
  return {
    sentence: writeSummary({ kind, tools, topic, outcome }),
    saysSomething: tools !== '' || topic !== undefined || isNamed,
  }
}

function listTools(fields: Evidence['fields']): string {
  const graph = Array.isArray(fields['tool_graph']) ? fields['tool_graph'] : []
  const called = [
    fields['tool_name'] ?? fields['tool'],
    ...graph.map((node) => isJsonObject(node) && node['tool']),
  ]
  const names = [...new Set(called.filter(isText).map(formatPart))]
  const more = names.length - maxTools
  const shown = more > 0 ? [...names.slice(0, maxTools), `${more} more`] : names
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
