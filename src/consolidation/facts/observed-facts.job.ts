import type { Transaction } from '../../db/transaction.ts'
import { observedPredicate } from '../../domain/identity/handles.ts'
import { saysOnlyFact } from '../../domain/payloads/generated-summary.ts'
import { maskFact } from '../../domain/secrets/masking.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Episode } from '../episode.ts'
import { createEpisodeStage } from '../episode-batches.service.ts'
import { saysWhatHappened } from '../event-wording.ts'
import type { Stage } from '../stages.ts'
import type { ObservedFact } from './fact-groups.ts'
import { findStatedFacts } from './facts.queries.ts'
import type { Facts } from './facts.service.ts'

type Resources = { clock: Clock; facts: Facts; size?: number }

const actor = 'consolidation/semantic'

/** Returns the stage that stores the events of successful episodes as facts, without a model. */
export function createObservedFactsStage({ facts, ...resources }: Resources): Stage {
  return createEpisodeStage(
    'semantic',
    { ...resources, isHalved: true },
    async (tx, { episodes, ...options }) => {
      const observed = await dropRepetitions(tx, episodes.flatMap(listObservedFacts))
      const { created, reinforced, changes } = await facts.store(tx, observed, { ...options, actor })
      return { counts: { semantic_extracted: created, duplicates_resolved: reinforced }, changes }
    },
  )
}

/** Returns a fact for each event whose summary says what happened, if the episode was successful. */
export function listObservedFacts(episode: Episode): ObservedFact[] {
  // The outcome may have been corrected since the episode was listed.
  if (episode.payload.outcome !== 'success') return []
  return episode.payload.timeline.flatMap(({ event_kind: subject, summary, t }) => {
    if (summary === undefined || !saysWhatHappened(summary)) return []
    return [{ episode, at: t, fact: maskFact({ subject, predicate: observedPredicate, object: summary }) }]
  })
}

/** The summary that the service gives to a capture only says the fact that the capture stored. */
async function dropRepetitions(tx: Transaction, observed: readonly ObservedFact[]): Promise<ObservedFact[]> {
  const ids = observed.flatMap((each) => (readSummary(each).includes(': ') ? [each.episode.id] : []))
  const stated = ids.length === 0 ? [] : await findStatedFacts(tx, [...new Set(ids)])
  const byEpisode = Map.groupBy(stated, ({ episode }) => episode)
  return observed.filter((each) => {
    const summary = readSummary(each)
    return !byEpisode.get(each.episode.id)?.some((fact) => saysOnlyFact(summary, fact))
  })
}

const readSummary = ({ fact: { object } }: ObservedFact): string => (typeof object === 'string' ? object : '')
