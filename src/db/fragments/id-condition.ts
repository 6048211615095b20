import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether a column has one of the ids, in a condition that is planned once. */
export function isAmong(column: string, ids: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = any((select ${ids}::uuid[])::uuid[])`
}

/**
 * Whether a row named `r` has one of the ids. PostgreSQL plans a condition on an array again at each call, because it counts the
 * elements of a parameter; those of a subquery it does not see. Planning took three times as long as reading two records.
 */
export function hasIdIn(ids: readonly string[]): RawBuilder<SqlBool> {
  return ids.length === 1 ? sql<SqlBool>`r.id = ${ids[0]}::uuid` : isAmong('r.id', ids)
}

/**
 * Whether a column has the id of a row of an earlier part of the statement: `r.id` has its `id`, unless others are named. It is
 * added to a join on the same id: from the sizes alone the planner may join the whole table, which a batch of a growing store
 * then reads again and again.
 */
export function hasIdOf(part: string, column = 'r.id', id = 'id'): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = any(array(select ${sql.ref(id)} from ${sql.ref(part)}))`
}
