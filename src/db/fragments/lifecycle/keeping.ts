import { type RawBuilder, sql } from 'kysely'
import { baseShare, enoughUses, keepingExponent, usesShare } from '../../../domain/importance/keeping.ts'

type Fragment = RawBuilder<unknown>

/** `computeKeeping` in domain/importance/keeping.ts, for a row of `records` and its salience. */
export function computeKeepingOf(row: Fragment, salience: Fragment): RawBuilder<number> {
  const uses = sql`(${row}.access_count - ${row}.served_count)`
  // PostgreSQL refuses a product that is too small for a float.
  const used = sql`case when ${uses} > 0 then ${sql.lit(usesShare)}::float8
    * least(1, ln(1 + ${uses}::float8) / ${sql.lit(Math.log1p(enoughUses))}::float8) * least(1, greatest(${salience}, 1e-200::float8)) else 0 end`
  return sql<number>`(${computeContent(row)} + ${used}) * ${weighSalience(salience)}`
}

/** The same without the uses of the record. It is never higher. */
export function computeUnusedKeepingOf(row: Fragment, salience: Fragment): RawBuilder<number> {
  return sql<number>`${computeContent(row)} * ${weighSalience(salience)}`
}

function computeContent(row: Fragment): Fragment {
  return sql`(${row}.importance + ${sql.lit(baseShare)}::float8 * ${row}.base_importance) / ${sql.lit(1 + baseShare)}::float8`
}

function weighSalience(salience: Fragment): Fragment {
  return sql`power(${salience}, ${sql.lit(keepingExponent)}::float8)`
}
