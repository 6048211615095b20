import { type RawBuilder, sql } from 'kysely'

/** The exact salience of a `records` row `r`, by the function of the database. */
export function computeSalienceAt(now: Date): RawBuilder<number> {
  return computeSalienceOf('r', sql`${now}::timestamptz`)
}

/**
 * The exact salience of a row of another name. Its columns are passed, never the row itself: on a node of Citus it is of another
 * type.
 */
export function computeSalienceOf(row: 'r' | 'stored', instant: RawBuilder<unknown>): RawBuilder<number> {
  const columns = sql.raw(life.map((column) => `${row}.${column}`).join(', '))
  return sql<number>`salience_at(${columns}, ${instant})`
}

/** The parameters of `salience_at` in migration 0054. */
const life = [
  'pinned',
  'base_salience',
  'expires_at',
  'curve',
  'anchored_at',
  'half_life_seconds',
  'min_salience',
] as const
