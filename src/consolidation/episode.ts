import type { EpisodicPayload } from '../domain/payloads/payloads.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'

/** An episode that can be learned from: not forgotten and not withdrawn. */
export type Episode = {
  id: string
  scope: string
  sensitivity: Sensitivity
  confidence: number
  created_at: Date
  tags: string[]
  payload: EpisodicPayload
}

/**
 * Returns when the episode happened. Times after its creation are ignored, because an episode cannot be captured
 * before it happens.
 */
export function getEventTime({ created_at: createdAt, payload: { timeline } }: Episode): string {
  const times = timeline.map(({ t }) => Date.parse(t)).filter((time) => time <= createdAt.getTime())
  return new Date(
    times.reduce((one, other) => Math.max(one, other), times[0] ?? createdAt.getTime()),
  ).toISOString()
}
