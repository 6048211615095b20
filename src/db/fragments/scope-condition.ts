import { type RawBuilder, sql } from 'kysely'

/** Restricts a condition on rows `r`, or on another column, to a scope. Without a scope it is empty. */
export function restrictToScope(scope: string | null, column = sql`r.scope`): RawBuilder<unknown> {
  return scope === null ? sql`` : sql`and ${column} = ${scope}`
}
