import { type RawBuilder, sql } from 'kysely'
import { baseShare, keepingExponent } from '../../domain/importance/keeping.ts'

/** `computeKeeping` in domain/importance/keeping.ts, for a row of `records` and its salience. */
export function computeKeepingOf(
  row: RawBuilder<unknown>,
  salience: RawBuilder<unknown>,
): RawBuilder<number> {
  return sql<number>`(${row}.importance + ${sql.lit(baseShare)}::float8 * ${row}.base_importance) / ${sql.lit(1 + baseShare)}::float8
    * power(${salience}, ${sql.lit(keepingExponent)}::float8)`
}
