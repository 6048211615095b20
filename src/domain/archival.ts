import { type Layer, neverFading } from './importance.ts'

/**
 * Archival: a memory that nobody uses any more is forgotten. It can be restored like any forgotten record.
 */

export const archivedAfterDays = 90
export const archivedBelow = { retention: 0.15, importance: 0.3, accesses: 3 } as const

export type ArchivalInput = {
  layer: Layer
  pinned: boolean
  deletion_policy: 'auto_prune' | 'manual_only' | 'never'
  age_days: number
  retention: number
  importance: number
  /** The sum of the access weights. A record that is only shown must not be kept for ever. */
  accesses: number
}

/**
 * Whether a record is due for archival. Between two accesses each value only moves towards the limit, so the interval
 * between checks does not change the result.
 */
export function isDueArchival(input: ArchivalInput): boolean {
  const { layer, pinned, deletion_policy: policy, age_days: age } = input
  if (pinned || policy !== 'auto_prune' || neverFading.has(layer) || age <= archivedAfterDays) return false
  return (
    input.retention < archivedBelow.retention &&
    input.importance < archivedBelow.importance &&
    input.accesses < archivedBelow.accesses
  )
}
