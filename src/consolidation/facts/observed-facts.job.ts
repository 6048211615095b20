import type { Clock } from '../../kernel/clock.ts'
import { createEpisodeStage } from '../episode-batches.service.ts'
import type { Stage } from '../stages.ts'
import type { Facts } from './facts.service.ts'
import { listObservedFacts } from './observed-facts.ts'

type Resources = { clock: Clock; facts: Facts; size?: number }

const actor = 'consolidation/semantic'

/** Returns the stage that stores the events of successful episodes as facts, without a model. */
export function createObservedFactsStage({ facts, ...resources }: Resources): Stage {
  return createEpisodeStage('semantic', resources, async (tx, { episodes, ...options }) => {
    const { created, reinforced, changes } = await facts.store(tx, episodes.flatMap(listObservedFacts), {
      ...options,
      actor,
    })
    return { counts: { semantic_extracted: created, duplicates_resolved: reinforced }, changes }
  })
}
