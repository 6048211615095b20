import type { RecordRow } from '../stored-record.ts'

/** The numbers behind salience, importance and retention. They are kept after a record is purged or erased. */

const timeColumns = ['anchored_at', 'expires_at', 'last_accessed_at', 'forgotten_at', 'prune_at'] as const
const valueColumns = [
  'base_salience',
  'half_life_seconds',
  'min_salience',
  'max_salience',
  'curve',
  'deletion_policy',
  'pinned',
  'status',
  'layer',
  'source_type',
  'base_importance',
  'emotional_valence',
  'access_count',
  'served_count',
  'confirmation_count',
] as const

export const snapshotColumns = [...timeColumns, ...valueColumns] as const

export type LifecycleSnapshot = Pick<RecordRow, (typeof snapshotColumns)[number]>

/** Reads the numbers that a purge or an erase stored as JSON. No other statement writes them, so their types are known. */
export function parseLifecycleSnapshot(numbers: object): LifecycleSnapshot {
  const kept: Record<string, unknown> = { ...numbers }
  for (const name of timeColumns) {
    const instant = kept[name]
    kept[name] = typeof instant === 'string' ? new Date(instant) : null
  }
  // Records deleted by an earlier version have no such count.
  kept['served_count'] ??= 0
  return kept as LifecycleSnapshot
}
