import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Conditions on a row of a statement, mostly on `records as r`. The row must meet all of them. */
export type Conditions = readonly RawBuilder<SqlBool>[]

/** Conditions joined by `and`; `true` where there are none. */
export function joinConditions(conditions: Conditions): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** Whether a row meets all of the conditions: a value that is never null. */
export function meetsAll(conditions: Conditions): RawBuilder<SqlBool> {
  return sql<SqlBool>`coalesce(${sql.join([sql`true`, ...conditions], sql` and `)}, false)`
}
