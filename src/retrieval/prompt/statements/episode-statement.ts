import {
  findCaptured,
  findCapturedText,
  listContextParts,
} from '../../../domain/payloads/captured-content.ts'
import { endsWithOutcome } from '../../../domain/payloads/generated-summary.ts'
import { isPlainMessage, readContent } from '../../../domain/payloads/message-content.ts'
import type { EpisodicPayload, Payload } from '../../../domain/payloads/payloads.ts'
import { maskMembers } from '../../../domain/secrets/masking.ts'
import {
  containsWords,
  join,
  listWords,
  longestDetail,
  maxItems,
  type Write,
  writeLabelled,
} from './statement-parts.ts'

/** Says in plain text what happened: the events of an episode, what was captured of it, and the results of its tools. */

export function describeMessage(payload: EpisodicPayload, write: Write): string {
  const { name, role = '' } = payload.conversation ?? {}
  const said = isPlainMessage(payload) ? describeSaid(payload, write) : describeEpisode(payload, write)
  return `${write(name ?? role)}: ${said}`
}

/** The text of a message, the tools that it calls, and the results that it brings. */
function describeSaid(payload: EpisodicPayload, write: Write): string {
  const calls = payload.tool_graph.filter(({ result }) => result === undefined)
  const tools = calls.map(({ tool }) => tool)
  const text = readContent(payload)
  return join(
    [
      text === '' ? '' : write(text),
      writeLabelled('Calls', tools, write),
      ...describeResults(payload, write),
    ],
    '; ',
  )
}

/** Arguments of tools are left out, as in searches. */
export function describeEpisode(payload: EpisodicPayload, write: Write): string {
  const { tool_graph: calls, artifacts, outcome } = payload
  const results = calls.slice(0, maxItems).map((call) => describeCall(call, write))
  return join(
    [
      join([...describeEvents(payload, write), ...results], '; '),
      writeLabelled('Files', artifacts, write),
      outcome === undefined || saysOutcome(payload, outcome) ? '' : `Outcome: ${outcome}`,
    ],
    '. ',
  )
}

function describeResults({ tool_graph: calls }: EpisodicPayload, write: Write): string[] {
  const answered = calls.filter(({ result }) => result !== undefined)
  return answered.slice(0, maxItems).map((call) => describeCall(call, write))
}

function describeCall({ tool, result }: EpisodicPayload['tool_graph'][number], write: Write): string {
  return join([write(tool), result === undefined ? '' : write(result, longestDetail)], ' → ')
}

/** A capture with an outcome and without a summary gets one that ends with the outcome. */
function saysOutcome(payload: EpisodicPayload, outcome: string): boolean {
  const summary = payload.timeline[0]?.summary ?? ''
  return endsWithOutcome(summary, outcome) && !repeatsCalls(summary, payload)
}

/** The captured text belongs to the first event. If the event has no summary, this text is all that is known of it. */
function describeEvents(payload: EpisodicPayload, write: Write): string[] {
  const { timeline, conversation } = payload
  const [first, ...others] = timeline.slice(0, maxItems)
  const summary = first?.summary ?? ''
  const content = listContextParts(payload).map((part) => describeContent(part, payload, write))
  const captured = join(content, '; ')
  // A message has a speaker, so the kind of its event says nothing more.
  const isKindShown = captured === '' || conversation === undefined
  const kind = isKindShown ? (first?.event_kind ?? '') : ''
  const opening = repeatsCalls(summary, payload) ? '' : write(summary === '' ? kind : summary)
  return [
    join([opening, captured], summary === '' ? ': ' : '; '),
    ...others.map((event) => write(event.summary || event.event_kind)),
  ]
}

/** A capture without a summary gets one such as "Tool output with psql, outcome success.", which the calls say again. */
function repeatsCalls(summary: string, { tool_graph: calls, outcome }: EpisodicPayload): boolean {
  if (!summary.startsWith('Tool output with ') || summary.length > longestDetail) return false
  const tools = calls.slice(0, maxItems).map(({ tool }) => tool)
  const said = new Set(listWords(['tool output with and outcome', outcome ?? '', ...tools].join(' ')))
  return listWords(summary).every((word) => said.has(word))
}

/** A capture without a summary makes one from these members. */
const summarised = new Set(['summary', 'subject', 'predicate', 'object'])
/** The arguments of a tool call that was captured as plain content. */
const callMembers = new Set(['args', 'arguments'])

/** Captured content, without what a summary says already. */
function describeContent(content: unknown, { timeline }: EpisodicPayload, write: Write): string {
  const summaries = timeline.slice(0, maxItems).map(({ summary = '' }) => summary)
  const isSaid = (value: unknown) => summaries.some((summary) => containsWords(summary, write(value)))
  if (typeof content !== 'object' || content === null) return isSaid(content) ? '' : write(content)
  if (Array.isArray(content)) return write(content)
  const members = listMembers(content)
  const text = findCapturedText(Object.fromEntries(members))
  const others = members.filter(
    ([name, value]) => value !== text && !callMembers.has(name) && !(summarised.has(name) && isSaid(value)),
  )
  return join(
    [isSaid(text) ? '' : write(text), others.length === 0 ? '' : write(Object.fromEntries(others))],
    '; ',
  )
}

/** The first members, with secrets replaced. That comes first, because a member may name the secret in another one. */
function listMembers(content: object): [name: string, value: unknown][] {
  const members: [string, unknown][] = []
  for (const [name = '', value] of maskMembers(content)) {
    if (members.length === maxItems) break
    members.push([name, value])
  }
  return members
}

/** Whether an episode has parts that its statement leaves out: arguments of tools and circumstances of a capture. */
export function hasOmittedParts(payload: Payload): boolean {
  if (payload.kind !== 'episodic') return false
  return (
    findCaptured(payload)?.context !== undefined ||
    payload.tool_graph.some(({ args }) => args !== undefined) ||
    listContextParts(payload).some(hasOmittedMembers)
  )
}

function hasOmittedMembers(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return false
  const names = Object.keys(content)
  return names.length > maxItems || names.some((name) => callMembers.has(name))
}
