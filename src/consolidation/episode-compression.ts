import { computePruneAt, type PrunableState, salienceAt } from '../domain/curves.ts'

/** An old episode fades to its half at once, so that what was learnt from it outlives it. */

/** Not below this, where an episode can still be found; what has less keeps it. */
const least = 0.05

export type Compressed = {
  prune_at: Date | null
  /** Field to [before, after]. */
  changes: { base_salience: [number, number]; salience: [number, number] }
}

/** Nothing where there is nothing to take. The clock stays where it was. */
export function compress(life: PrunableState, now: Date): Compressed | undefined {
  const { base_salience: before } = life
  const after = Math.max(before / 2, Math.min(before, least))
  if (after === before) return undefined
  const halved = { ...life, base_salience: after }
  return {
    prune_at: computePruneAt(halved),
    changes: { base_salience: [before, after], salience: [salienceAt(life, now), salienceAt(halved, now)] },
  }
}
