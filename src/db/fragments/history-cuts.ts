import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether the audit log still has everything since a moment: its months are dropped when they are old. */
export function isLogged(moment: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${moment} >= coalesce(
    (select c.before from history_cuts as c where c.history = 'audit_entries'), '-infinity'
  )`
}
