import type { Told } from '../facts/gathering.ts'
import type { Episode } from '../stages.ts'

/** What an episode that went well was made of: each of its events that says something. */
export function observe(episode: Episode): Told[] {
  // Its outcome may have been corrected since it was listed.
  if (episode.payload.outcome !== 'success') return []
  return episode.payload.timeline.flatMap(({ event_kind: subject, summary, t }) =>
    summary === undefined || summary.trim() === ''
      ? []
      : [{ episode, at: t, fact: { subject, predicate: 'observed_in', object: summary } }],
  )
}
