import type { AuditRow, StoredRecord } from './stored-record.ts'

/** How much of the audit log is embedded in a record; all of it is paged on its own. */
export const maxEmbeddedEntries = 50

/** The embedded log once an entry has been written behind it. */
export function appendEntry(log: readonly AuditRow[], entry: AuditRow): AuditRow[] {
  return [...log, entry].slice(-maxEmbeddedEntries)
}

/**
 * When a change counts as made. A writer may read the clock before it waits for the lock, so its own time can be older
 * than that of the writer it waited for: the times of one record never run backwards.
 */
export function computeWriteTime({ updated_at: updated, audit_log: log }: StoredRecord, now: Date): Date {
  const last = log.at(-1)
  const newest = Math.max(updated.getTime(), last ? new Date(last.at).getTime() : 0)
  return newest > now.getTime() ? new Date(newest) : now
}
