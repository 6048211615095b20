import { formatCanonicalJson } from '../../kernel/canonical-json.ts'
import { findCaptured, findCapturedText } from './captured-content.ts'
import type { EpisodicPayload } from './payloads.ts'

type Episode<K extends keyof EpisodicPayload> = Pick<EpisodicPayload, K>

/** The calls of tools in a message, and what they returned. */
export type MessageCalls = EpisodicPayload['tool_graph']

/** The summary of its first event, or the text of an event that was captured without one. */
export function readContent(payload: Episode<'timeline' | 'environment'>): string {
  return readSummary(payload) || findCapturedText(findCaptured(payload)?.content)
}

/** The summary of the first event, by which a message that is sent again is recognised. */
function readSummary({ timeline }: Episode<'timeline'>): string {
  return timeline[0]?.summary ?? ''
}

/** Whether an episode is no more than a message. A captured event of a conversation can hold other content. */
export function isPlainMessage({
  conversation,
  timeline,
  environment,
}: Episode<'conversation' | 'timeline' | 'environment'>): boolean {
  const isMessage =
    conversation !== undefined && timeline.length === 1 && timeline[0]?.event_kind === 'message'
  return isMessage && environment === undefined
}

/** By which a message that is sent again is recognised. */
export function identifyMessage(payload: EpisodicPayload): string {
  const text = readSummary(payload)
  return isPlainMessage(payload) ? identifyContent(text, payload.tool_graph) : text
}

/** The text and the calls. A result is the same with any tool: an agent that sends a result alone does not name one. */
export function identifyContent(text: string, calls: MessageCalls): string {
  if (calls.length === 0) return text
  const said = calls.map(({ tool, args, result }) =>
    result === undefined ? { tool, args } : { args, result },
  )
  return formatCanonicalJson([text, said])
}

/** Joins the texts of a message; other parts, such as images, are left out. */
export function joinTexts(parts: readonly unknown[]): string {
  return parts.filter((part): part is string => typeof part === 'string' && part.trim() !== '').join('\n')
}
