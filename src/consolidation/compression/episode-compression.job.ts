import { saveEffectsByStatement } from '../../db/run-effects.ts'
import type { Transaction } from '../../db/transaction.ts'
import { findEffectsRunId } from '../../jobs/runs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import { subtractMilliseconds } from '../../kernel/units.ts'
import { claimEpisodes, type Portion } from '../episode-batches.queries.ts'
import { type EpisodeBatchResult, walkEpisodes } from '../episode-batches.service.ts'
import type { Stage } from '../stages.ts'
import {
  type CompressionCandidate,
  claimCompressionCandidates,
  findExistingIds,
  writeCompressed,
} from './episode-compression.queries.ts'
import { type Compressed, compress } from './episode-compression.ts'

type Resources = { clock: Clock; compressionAgeMs: number; size?: number }

/** Returns the stage that halves the salience of old episodes, once each. */
export function createCompressionStage({ clock, compressionAgeMs, size }: Resources): Stage {
  return {
    name: 'episodic',
    run: (context) => {
      const { id: runId, startedAt } = context.run
      const effectsRunId = findEffectsRunId(context.run)
      return walkEpisodes(context, {
        stage: 'episodic',
        clock,
        until: subtractMilliseconds(startedAt, compressionAgeMs),
        processBatch: (tx, portion) => compressNext(tx, portion, { runId, effectsRunId }),
        size,
      })
    },
  }
}

async function compressNext(
  tx: Transaction,
  portion: Portion,
  { runId, effectsRunId }: { runId: string; effectsRunId: string | undefined },
): Promise<EpisodeBatchResult> {
  const { now } = portion
  const claimed = await claimEpisodes(tx, portion)
  if (claimed.length === 0) return { last: undefined }
  const ids = claimed.map(({ id }) => id)
  const candidates = await claimCompressionCandidates(tx, ids)
  const compressed = candidates.flatMap((candidate) => compressOne(candidate, now))
  const finished = await excludeLocked(tx, ids, candidates)
  const savesEffects = effectsRunId !== undefined
  // The triggers would keep the rows one by one, in half of the time of a batch.
  await saveEffectsByStatement(tx, effectsRunId, () =>
    writeCompressed(tx, compressed, { finished, now, runId, savesEffects }),
  )
  return {
    done: finished.length,
    counts: { episodic_compressed: compressed.length },
    changes: compressed.map(({ id, changes }) => ({
      record_id: id,
      action: 'compress',
      before: { base_salience: changes.base_salience[0], salience: changes.salience[0] },
      after: { base_salience: changes.base_salience[1], salience: changes.salience[1] },
    })),
    last: claimed.at(-1),
  }
}

function compressOne(candidate: CompressionCandidate, now: Date): (Compressed & { id: string })[] {
  const compressed = candidate.is_due ? compress(candidate, now) : undefined
  return compressed ? [{ ...compressed, id: candidate.id }] : []
}

/**
 * Returns the ids to take off the list. Records that others have locked stay on it; records that no longer exist do
 * not.
 */
async function excludeLocked(
  tx: Transaction,
  ids: readonly string[],
  candidates: readonly CompressionCandidate[],
) {
  const claimed = new Set(candidates.map(({ id }) => id))
  const others = ids.filter((id) => !claimed.has(id))
  if (others.length === 0) return ids
  const locked = await findExistingIds(tx, others)
  return ids.filter((id) => !locked.has(id))
}
