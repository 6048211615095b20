import { computePruneAt, type PrunableState, salienceAt } from '../domain/curves.ts'

/** An old episode fades to its half at once, so that what was learnt from it outlives it. */

/** Not below this, where an episode can still be found; what has less keeps it. */
const minSalience = 0.05

export type Compressed = {
  prune_at: Date | null
  /** Field to [before, after]. */
  changes: { base_salience: [number, number]; salience: [number, number] }
}

/** Nothing where there is nothing to take. The clock stays where it was. */
export function compress(lifecycle: PrunableState, now: Date): Compressed | undefined {
  const { base_salience: before } = lifecycle
  const after = Math.max(before / 2, Math.min(before, minSalience))
  if (after === before) return undefined
  const halved = { ...lifecycle, base_salience: after }
  return {
    prune_at: computePruneAt(halved),
    changes: {
      base_salience: [before, after],
      salience: [salienceAt(lifecycle, now), salienceAt(halved, now)],
    },
  }
}
