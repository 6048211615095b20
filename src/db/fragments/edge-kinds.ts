import { type RawBuilder, sql } from 'kysely'

/**
 * Selects the first kind of edge of a record that comes after `previous` in alphabetical order; null after the last one. A recursive
 * statement steps from kind to kind with one look-up of the index each; `distinct` would read every edge of a hub.
 */
export function selectNextKind(source: RawBuilder<unknown>, previous?: RawBuilder<unknown>) {
  const after = previous ? sql`and e.predicate > ${previous}` : sql``
  return sql<string | null>`(
    select e.predicate from relations as e where e.source_id = ${source} ${after} order by e.predicate limit 1
  )`
}
