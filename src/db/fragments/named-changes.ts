import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether a change `c` of a run is named by its action or its record, or nothing is named. */
export function isNamed(only: readonly string[] | null): RawBuilder<SqlBool> {
  if (only === null) return sql<SqlBool>`true`
  const names = sql`${only}::text[]`
  return sql<SqlBool>`(c.action = any(${names}) or c.record_id::text = any(${names}))`
}
