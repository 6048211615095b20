import { maskFact } from '../../domain/masking.ts'
import type { Episode } from '../stages.ts'
import type { ObservedFact } from './fact-groups.ts'

/** Returns a fact for each event with a summary, if the episode was successful. */
export function listObservedFacts(episode: Episode): ObservedFact[] {
  // The outcome may have been corrected since the episode was listed.
  if (episode.payload.outcome !== 'success') return []
  return episode.payload.timeline.flatMap(({ event_kind: subject, summary, t }) => {
    if (summary === undefined || !hasWords(summary)) return []
    return [{ episode, at: t, fact: maskFact({ subject, predicate: 'observed_in', object: summary }) }]
  })
}

/** A text that consists only of masks and punctuation teaches nothing. */
function hasWords(summary: string): boolean {
  return /[\p{L}\p{N}]/u.test(summary.replace(/<secret [a-z]+>/g, ''))
}
