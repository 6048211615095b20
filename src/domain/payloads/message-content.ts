import { findCaptured, findCapturedText } from './captured-content.ts'
import type { EpisodicPayload } from './payloads.ts'

type Episode<K extends keyof EpisodicPayload> = Pick<EpisodicPayload, K>

/** The summary of its first event, or the text of an event that was captured without one. */
export function readContent(payload: Episode<'timeline' | 'environment'>): string {
  return readSummary(payload) || findCapturedText(findCaptured(payload)?.content)
}

/** The summary of the first event, by which a message that is sent again is recognised. */
export function readSummary({ timeline }: Episode<'timeline'>): string {
  return timeline[0]?.summary ?? ''
}

/** Whether an episode is no more than a message. A captured event of a conversation can hold tools and other content. */
export function isPlainMessage({
  conversation,
  timeline,
  tool_graph: calls,
  environment,
}: Episode<'conversation' | 'timeline' | 'tool_graph' | 'environment'>): boolean {
  const isMessage =
    conversation !== undefined && timeline.length === 1 && timeline[0]?.event_kind === 'message'
  return isMessage && calls.length === 0 && environment === undefined
}
