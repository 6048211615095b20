import { computePruneAt, computeSalience, type PrunableState } from '../../domain/lifecycle/curves.ts'

/**
 * Halves the salience of an old episode at once, so that the knowledge derived from it lasts longer than the episode.
 */

/** The salience is not reduced below this, so that the episode can still be found. A lower one stays as it is. */
const minSalience = 0.05

export type Compressed = {
  prune_at: Date | null
  /** Each field maps to [before, after]. */
  changes: { base_salience: [number, number]; salience: [number, number] }
}

/** Returns undefined if the salience would not change. The anchor time stays the same. */
export function compress(lifecycle: PrunableState, now: Date): Compressed | undefined {
  const { base_salience: before } = lifecycle
  const after = Math.max(before / 2, Math.min(before, minSalience))
  if (after === before) return undefined
  const halved = { ...lifecycle, base_salience: after }
  return {
    prune_at: computePruneAt(halved),
    changes: {
      base_salience: [before, after],
      salience: [computeSalience(lifecycle, now), computeSalience(halved, now)],
    },
  }
}
