import type { View } from './seen-changes.ts'
import { hasEnded, unite } from './snapshots.ts'

/** A table in memory, of rows of the database with versions. */
export type VersionedTable<Row> = {
  /** Stores a row unless that version is known, or the known one is newer than what the database has shown. */
  add: (row: Row, hasSeen: (version: number) => boolean) => 'added' | 'known' | 'no room'
  remove: (id: string) => void
  /** Undefined for a row that is not here. */
  versionOf: (id: string) => number | undefined
}

export type Changes<Row> = { gone: readonly string[]; changed: readonly Row[]; view: View }

/**
 * Takes in what the database knows and the table does not. Answers come in any order and, with replicas, from servers that are
 * behind others, so nothing that was learnt is forgotten for an older state: a row is replaced or removed only by a statement
 * that has seen the transaction of its version.
 */
export function learnChanges<Row>(
  loaded: { table: VersionedTable<Row>; view: View },
  { gone, changed, view }: Changes<Row>,
  mostChanges: number,
): 'checked' | 'changed' | 'outdated' {
  if (changed.length > mostChanges || view.timeline !== loaded.view.timeline) return 'outdated'
  const { table } = loaded
  const hasSeen = (version: number) => hasEnded(view.snapshot, version)
  const states = changed.map((row) => table.add(row, hasSeen))
  if (states.includes('no room')) return 'outdated'
  for (const id of gone) {
    const version = table.versionOf(id)
    if (version !== undefined && hasSeen(version)) table.remove(id)
  }
  loaded.view = { ...view, snapshot: unite(loaded.view.snapshot, view.snapshot) }
  return states.includes('added') ? 'changed' : 'checked'
}
