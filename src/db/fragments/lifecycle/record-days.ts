import { type RawBuilder, sql } from 'kysely'

/**
 * The day in the life of a `records` row `r` to which an instant belongs. Days have 24 hours, the first is 0, and
 * instants before the creation belong to it.
 */
export function computeDayOfLife(instant: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`floor(greatest(0::float8, date_part('epoch', ${instant} - r.created_at) / 86400))`
}

/** The instant at which such a day begins. */
export function startOfDay(day: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`r.created_at + ${day} * interval '24 hours'`
}
