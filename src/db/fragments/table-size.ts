import { type RawBuilder, sql } from 'kysely'

/**
 * The size of a table in pages. By the table that a row is in: on a node of Citus the rows are in a table of another name.
 */
export function selectPages(table: 'records' | 'contents' | 'signatures'): RawBuilder<number> {
  return sql`coalesce((
    select pg_relation_size(tableoid) / current_setting('block_size')::bigint from ${sql.table(table)} limit 1
  ), 0)`
}
