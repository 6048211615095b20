import type { AuditRow } from './rows.ts'

/** How much of the audit log is embedded in a record; all of it is paged on its own. */
export const embeddedAudit = 50

/** The embedded log once an entry has been written behind it. */
export function withEntry(log: readonly AuditRow[], entry: AuditRow): AuditRow[] {
  return [...log, entry].slice(-embeddedAudit)
}
