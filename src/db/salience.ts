import { type RawBuilder, sql } from 'kysely'

/** The exact salience of a `records` row named `r`, by the closed form the database knows too. */
export function salienceAt(now: Date): RawBuilder<number> {
  return sql<number>`salience_at(r, ${now}::timestamptz)`
}
