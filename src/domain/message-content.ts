import type { EpisodicPayload } from './payloads.ts'

/** What a message says: the summary of its first event. */
export function contentOf({ timeline }: Pick<EpisodicPayload, 'timeline'>): string {
  return timeline[0]?.summary ?? ''
}
