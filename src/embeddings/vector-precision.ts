import { type RawBuilder, sql } from 'kysely'
import type { Precision } from '../domain/vector-codes.ts'

/** The bits that a vector keeps: those of the first level whose limit the retention of its record exceeds. */
const precisionLevels: readonly { above: number; bits: Precision }[] = [
  { above: 0.8, bits: 32 },
  { above: 0.5, bits: 8 },
  { above: 0.2, bits: 4 },
]
const leastBits: Precision = 2

/** The bits that a retention justifies, as SQL. */
export function bitsForRetention(retention: RawBuilder<unknown>): RawBuilder<Precision> {
  return sql<Precision>`case ${sql.join(
    precisionLevels.map(({ above, bits }) => sql`when ${retention} > ${above}::float8 then ${sql.lit(bits)}`),
    sql` `,
  )} else ${sql.lit(leastBits)} end`
}
