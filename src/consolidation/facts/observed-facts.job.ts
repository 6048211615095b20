import type { Clock } from '../../kernel/clock.ts'
import { createEpisodeStage } from '../episode-batches.service.ts'
import type { Stage } from '../stages.ts'
import type { Facts } from './facts.service.ts'
import { observe } from './observed-facts.ts'

type Resources = { clock: Clock; facts: Facts; size?: number }

const actor = 'consolidation/semantic'

/** What was observed where things went well becomes a fact, without anybody reading it. */
export function createSemantic({ facts, ...resources }: Resources): Stage {
  return createEpisodeStage('semantic', resources, async (tx, { episodes, ...telling }) => {
    const { created, reinforced, changes } = await facts.keep(tx, episodes.flatMap(observe), {
      ...telling,
      actor,
    })
    return { counts: { semantic_extracted: created, duplicates_resolved: reinforced }, changes }
  })
}
