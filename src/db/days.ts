import { type RawBuilder, sql } from 'kysely'

/**
 * On which day of the life of a `records` row named `r` an instant is: days have 24 hours, the first is 0, and what
 * is before the creation belongs to it.
 */
export function dayOfLife(instant: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`floor(greatest(0::float8, date_part('epoch', ${instant} - r.created_at) / 86400))`
}

/** When a day of that life begins. */
export function startOfDay(day: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`r.created_at + ${day} * interval '24 hours'`
}
