import { getRank, type Sensitivity } from '../../domain/trust/caller.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import type { Position } from '../../jobs/runs/run-walk.ts'
import type { Clock } from '../../kernel/clock.ts'
import { addMilliseconds } from '../../kernel/units.ts'
import type { Episode } from '../episode.ts'
import {
  claimReadableEpisodes,
  countDue,
  deleteUnconsolidated,
  type Portion,
} from '../episode-batches.queries.ts'
import { readEpisodes, skipEpisode } from '../episode-batches.service.ts'
import type { StageContext } from '../stages.ts'
import { claimUntil } from './extraction.queries.ts'

/** The position of the last episode, or undefined at the end, and those that the model may read. */
type Claimed = { last: Position | undefined; episodesToAsk: readonly Episode[] }

/** Longer than any model call. Claims of a lost worker are released by the next run in any case. */
const leaseMs = 15 * 60_000

type Resources = {
  clock: Clock
  /** Episodes above this sensitivity are not sent to the model. */
  maxSensitivity: Sensitivity
}

/** Returns the claims of episodes about which the model is asked. */
export function createExtractionClaims({ clock, maxSensitivity }: Resources) {
  const isAbove = ({ sensitivity }: Episode) => getRank(sensitivity) > getRank(maxSensitivity)

  function createPortion(
    { run: { scope, startedAt } }: StageContext,
    after: Position,
    limit: number,
  ): Portion {
    return { stage: 'extraction', scope, until: startedAt, now: clock.now(), after, limit }
  }

  /** Claims the next episodes. One that cannot be claimed does not keep the others from the model. */
  async function claimOrSkip(context: StageContext, after: Position, limit: number): Promise<Claimed> {
    try {
      return await claim(context, after, limit)
    } catch (error) {
      if (!isBatchFailure(error)) throw error
      if (limit > 1) return claimOrSkip(context, after, Math.ceil(limit / 4))
      const last = await skipEpisode(createPortion(context, after, 1), error, context)
      return { last, episodesToAsk: [] }
    }
  }

  /**
   * Episodes that the model cannot or must not read are taken off the list. The others are claimed while the model
   * answers.
   */
  function claim(context: StageContext, after: Position, limit: number): Promise<Claimed> {
    return context.inBatch(async (tx) => {
      const portion = createPortion(context, after, limit)
      const claimed = await claimReadableEpisodes(tx, portion)
      const ids = claimed.map(({ id }) => id)
      const episodes = ids.length === 0 ? [] : await readEpisodes(tx, ids)
      const episodesToAsk = episodes.filter((episode) => !isAbove(episode))
      const askedIds = new Set(episodesToAsk.map(({ id }) => id))
      const others = ids.filter((id) => !askedIds.has(id))
      if (others.length > 0) await deleteUnconsolidated(tx, 'extraction', others)
      if (askedIds.size > 0) await claimUntil(tx, [...askedIds], addMilliseconds(portion.now, leaseMs))
      const counts = { extraction_skipped: episodes.length - episodesToAsk.length }
      return { last: claimed.at(-1), episodesToAsk, done: others.length, counts }
    })
  }

  /** Counts the episodes that are left for the next run. */
  async function countRest(context: StageContext, after: Position): Promise<void> {
    await context.inBatch(async (tx) => {
      const due = await countDue(tx, [createPortion(context, after, 1)])
      return { counts: { extraction_skipped: due.get('extraction') ?? 0 } }
    })
  }

  return { claimOrSkip, countRest }
}
