import { type RawBuilder, sql } from 'kysely'

/** The exact salience of a `lifecycles` row named `l`, by the closed form the database knows too. */
export function salienceAt(now: Date): RawBuilder<number> {
  return sql<number>`salience_at(l, ${now}::timestamptz)`
}
