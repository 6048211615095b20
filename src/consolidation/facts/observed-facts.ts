import { maskFact } from '../../domain/masking.ts'
import type { Episode } from '../stages.ts'
import type { ObservedFact } from './fact-groups.ts'

/** What an episode that went well was made of: each of its events that says something. */
export function listObservedFacts(episode: Episode): ObservedFact[] {
  // Its outcome may have been corrected since it was listed.
  if (episode.payload.outcome !== 'success') return []
  return episode.payload.timeline.flatMap(({ event_kind: subject, summary, t }) => {
    if (summary === undefined || !hasWords(summary)) return []
    return [{ episode, at: t, fact: maskFact({ subject, predicate: 'observed_in', object: summary }) }]
  })
}

/** A text of nothing but masks and signs teaches nothing. */
function hasWords(summary: string): boolean {
  return /[\p{L}\p{N}]/u.test(summary.replace(/<secret [a-z]+>/g, ''))
}
