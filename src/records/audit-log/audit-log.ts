import type { AuditRow, StoredRecord } from '../stored-record.ts'

/** The number of entries that a record contains. The whole log has pages of its own. */
export const maxEmbeddedEntries = 50

/** In characters of JSON. An entry with longer changes is not among them: it may have twice as many megabytes as a record. */
export const maxEntryLength = 64 * 1_024

/** The characters of the changes of all of them. */
export const maxLogLength = 128 * 1_024

/** The embedded log after one more entry. */
export function appendEntry(log: readonly AuditRow[], entry: AuditRow): AuditRow[] {
  const isLong = JSON.stringify(entry.changes ?? null).length > maxEntryLength
  return isLong ? [...log] : [...log, entry].slice(-maxEmbeddedEntries)
}

/**
 * The time of a change. A writer may read the clock before it waits for the lock. Its time can then be older than the
 * time of the writer it waited for, and the times of one record must never run backwards.
 */
export function computeWriteTime({ updated_at: updated, audit_log: log }: StoredRecord, now: Date): Date {
  const last = log.at(-1)
  const newest = Math.max(updated.getTime(), last ? new Date(last.at).getTime() : 0)
  return newest > now.getTime() ? new Date(newest) : now
}
