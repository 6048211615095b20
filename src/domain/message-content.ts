import type { EpisodicPayload } from './payloads.ts'

/** What a message says: the summary of its first event. */
export function contentOf({ timeline }: Pick<EpisodicPayload, 'timeline'>): string {
  return timeline[0]?.summary ?? ''
}

/** Whether an episode is no more than a message. A captured event of a conversation can hold tools and other content. */
export function isPlainMessage({
  conversation,
  timeline,
}: Pick<EpisodicPayload, 'conversation' | 'timeline'>): boolean {
  return conversation !== undefined && timeline.length === 1 && timeline[0]?.event_kind === 'message'
}
