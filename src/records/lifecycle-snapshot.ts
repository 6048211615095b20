import type { RecordRow } from './stored-record.ts'

/** The numbers behind a record's salience, importance and retention: what is kept of it when it is no more. */

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

/** As PostgreSQL wrote them: only a purge or an erase does, so their types are known. */
export function parseLifecycleSnapshot(numbers: object): LifecycleSnapshot {
  const kept: Record<string, unknown> = { ...numbers }
  for (const name of timeColumns) {
    const instant = kept[name]
    kept[name] = typeof instant === 'string' ? new Date(instant) : null
  }
  // Those that went before it was counted were as good as used each time.
  kept['served_count'] ??= 0
  return kept as LifecycleSnapshot
}
