import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Whether a row named `r` has one of the ids. One id is compared with `=`: PostgreSQL caches the plan of an equality but
 * plans an array condition again at each call, which took ten times as long as the read.
 */
export function hasIdIn(ids: readonly string[]): RawBuilder<SqlBool> {
  return ids.length === 1
    ? sql<SqlBool>`r.id = ${ids[0]}::uuid`
    : sql<SqlBool>`r.id = any(${sql.val([...ids])}::uuid[])`
}
