import { type Layer, neverFading } from './importance.ts'

/** What is put away because nobody came back to it; forgotten, and restorable as whatever is. */

export const archivedAfterDays = 90
export const archivedBelow = { retention: 0.15, importance: 0.3, accesses: 3 } as const

export type ArchivalInput = {
  layer: Layer
  pinned: boolean
  deletion_policy: 'auto_prune' | 'manual_only' | 'never'
  age_days: number
  retention: number
  importance: number
  /** Being shown counts as the part of a use that it is, or it would keep a memory for ever. */
  accesses: number
}

/** Between two accesses each of these only comes nearer to it, so it matters to nobody how often one looks. */
export function isDueArchival(standing: ArchivalInput): boolean {
  const { layer, pinned, deletion_policy: policy, age_days: age } = standing
  if (pinned || policy !== 'auto_prune' || neverFading.has(layer) || age <= archivedAfterDays) return false
  return (
    standing.retention < archivedBelow.retention &&
    standing.importance < archivedBelow.importance &&
    standing.accesses < archivedBelow.accesses
  )
}
