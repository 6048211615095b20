import { type RawBuilder, sql } from 'kysely'

/** The exact salience of a `records` row `r`, by the function of the database. */
export function salienceAt(now: Date): RawBuilder<number> {
  return sql<number>`salience_at(r, ${now}::timestamptz)`
}
